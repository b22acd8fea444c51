"""Small changes that make a page false: how they are made, who notices them, how many survive."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofbook.check.registry import problems_in_files
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.testing.tiny_book import Book, recorded

from benchmarks.mutations import (
    KINDS,
    Verdict,
    judged,
    mutants,
    sample,
    survivors,
    table,
    too_few,
)
from benchmarks.slips_in_words import marks

ROOT = Path(__file__).resolve().parents[1]

ZH, EN, OUTPUT = "docs/t/p.zh.md", "docs/t/p.en.md", "snippets/t/s.out"
FOUND = """\
# Why 6? { #three-times }

Since `w.retain_grad()` was called, `[2, -1]` and $3 \\times 2 = 6$ are two values. See 1.4 too.

::: snippets/t/s.py
    highlight: 3 * w

[Here](../index.en.md#home), and [the fifth](https://example.org/t/5).
"""


def changes(book: Book, kind: str, file: str = EN) -> list[tuple[str, str]]:
    """What the changes of a kind make of a file: the words that differ, before and after."""
    told = []
    for one in mutants(read_book(book.root), [kind], file):
        old, new = book.read(file).split(), one.text(book.read(file)).split()
        if len(old) != len(new):
            told.append((" ".join(old)[:20], " ".join(new)[:20]))
        told += [(o, n) for o, n in zip(old, new, strict=False) if o != n and len(old) == len(new)]
    return told


MADE = {
    "digit in code": [("`[2,", "`[3,"), ("-1]`", "-2]`")],
    "digit in maths": [("$3", "$4"), ("2", "3"), ("6$", "7$")],
    "digit in prose": [("6?", "7?"), ("1.4", "2.4"), ("1.4", "1.5")],
    "digit in a quoted title": [],
    "digit in a name": [],
    "number in words": [("two", "three")],
    "sign in code": [("`[2,", "`[-2,"), ("-1]`", "1]`")],
    "sign in maths": [("$3", "$-3"), ("2", "-2"), ("6$", "-6$")],
    "sign in prose": [],
    "operator in maths": [("\\times", "+"), ("=", "\\neq")],
    "letter dropped from a name": [("`w.retain_grad()`", "`w.retai_grad()`")],
    "letters of a name swapped": [("`w.retain_grad()`", "`w.retai_ngrad()`")],
    "anchor": [("#three-times", "#hree-times")],
    "link to no page": [("[Here](../index.en.md#home),", "[Here](../ndex.en.md#home),")],
    "link to no anchor": [("[Here](../index.en.md#home),", "[Here](../index.en.md#ome),")],
    "link to another site": [
        ("fifth](https://example.org/t/5).", "fifth](https://example.org/t/6).")
    ],
    "snippet that isn't there": [("snippets/t/s.py", "snippets/t/.py")],
}


@pytest.mark.parametrize("kind", MADE)
def test_how_a_change_is_made(book, kind):
    book.write("docs/index.en.md", "# Home { #home }\n")
    book.write(EN, FOUND)
    assert changes(book, kind) == MADE[kind]


def test_values_of_one_sentence_are_swapped_and_sentences_dropped(book):
    """A sum in another order is no change."""
    book.write(EN, "# A { #a }\n\nFirst `1`, then $2 + 3$. The 3 stands alone. Words only.\n")
    swapped, dropped = (
        [
            one.text(book.read(EN)).split("\n")[2]
            for one in mutants(read_book(book.root), [kind], EN)
        ]
        for kind in ("values swapped", "sentence dropped")
    )
    assert swapped == ["First `2`, then $1 + 3$. The 3 stands alone. Words only."]
    assert dropped == [
        "The 3 stands alone. Words only.",
        "First `1`, then $2 + 3$. Words only.",
    ]


def test_what_is_code_is_neither_maths_nor_prose():
    page = parse(
        EN, "# A { #a }\n\nx `$1$` $2$ [“3”](https://a.b/4) <!-- 5 -->\n\n```text\n6\n```\n"
    )
    marked = marks(page)
    assert [marked[page.text.index(digit)] for digit in "123456"] == ["c", "m", "q", " ", " ", " "]


def test_who_notices_a_change(book):
    book.write(*recorded(book, "1.4.0", "y: 6\n"))
    for name in (ZH, EN):
        book.change(name, "3 * w", "3 * w\n    then: 1.4.0")
    whole = read_book(book.root)
    assert problems_in_files(whole) == []
    for kind, by in {
        "digit in an output": "run",
        "anchor": "pair",
        "highlight": "pair",
        "snippet that isn't there": "page",
        "digit in another version's output": "page",
        "older version": "page",
    }.items():
        assert {verdict.by for verdict in judged(whole, mutants(whole, [kind]))} == {by}, kind


def test_a_survivor_is_listed_and_lowers_the_share(book):
    book.write(EN, book.read(EN) + "\nIt is *6*, and `6`.\n")
    whole = read_book(book.root)
    both = mutants(whole, ["digit in code"]) + mutants(whole, ["anchor"], EN)
    found = [Verdict(both[0], "edit"), Verdict(both[1], None)]
    assert list(survivors(found)) == [
        f"{EN}:8: edit: digit in code: 'It is *6*, and `6`.' -> 'It is *6*, and `7`.'",
        f"{EN}:1: nobody: anchor: 'at is three times w? {{ #three-times }}' -> "
        "'at is three times w? { #hree-times }'",
    ]
    assert table(found).splitlines()[2].split()[-9:-4] == ["1", "0", "1", "0.0%", "100.0%"]
    assert too_few(found) == ["digit in code", "anchor"]
    assert too_few([Verdict(both[1], "pair")]) == []


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
