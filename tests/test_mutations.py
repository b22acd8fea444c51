"""Small changes that make a page false: who notices them, and how many survive."""

from __future__ import annotations

from pathlib import Path

from proofbook.model.book import read_book

from benchmarks.mutations import (
    KINDS,
    judged,
    mutants,
    sample,
    survivors,
)

ROOT = Path(__file__).resolve().parents[1]


def test_changes_of_the_book_are_noticed():
    """The benchmark measures all changes; a few of each kind cannot tell more than this.

    Of five, one more may survive: at a share of 0.87 that happens to two samples in a thousand by
    chance, where it was two in a hundred, and every edit of the book draws another sample.
    """
    book = read_book(ROOT)
    changes = mutants(book)
    chosen = sample(changes, 150, seed=1)
    assert chosen == sample(changes, 150, seed=1) and len(chosen) <= 150
    assert {change.kind for change in chosen} == {change.kind for change in changes}
    verdicts = judged(book, chosen)
    assert [line for line in survivors(verdicts) if ": nobody: " in line] == []
    perfect = [verdict for verdict in verdicts if KINDS[verdict.mutant.kind].floor == 1]
    assert list(survivors(perfect)) == []
    for kind in KINDS:
        caught = [v.by not in (None, "edit") for v in verdicts if v.mutant.kind == kind]
        assert sum(caught) + 1 >= (KINDS[kind].floor - 0.4) * len(caught), kind
