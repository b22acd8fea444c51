"""How much of a false book the checks notice: one change at a time, counted by kind.

    python benchmarks/mutations.py [--kind K] [--page P] [--sample N [--seed S]] [--jobs J]

Each change is made in memory, in one file and one language, and goes to the checks in this order:

    page    what is wrong with the page by itself; for an output, with the pages that show it, or
            with the record that it stands in
    pair    the two languages of the page part: the same slip in both would not be noticed here
    run     an output is not what PyTorch prints. Nothing is run here: the book holds, so its
            outputs are what PyTorch prints, and the comparison is made with them
    edit    one language alone was edited since the last commit

This is said of any edit, of true or false words; so the share of a kind is what the others caught,
and the exit status is 1 where that is less than KINDS asks for, or where nobody noticed a change.
Listed are what was only seen to be edited, with `edit`, and what nobody noticed, with `nobody`.
`--page` takes the beginning of a path, as docs/basics/leaf or snippets/basics; `--sample` takes N
changes, the same number of each kind as far as there are as many.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import Pool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proofbook.check.languages import problems_of_pair  # noqa: E402
from proofbook.check.registry import problems_in_files, problems_of_page  # noqa: E402
from proofbook.check.translations import edited_in_one_language, translated  # noqa: E402
from proofbook.model.book import Book, read_book  # noqa: E402
from proofbook.model.page import Page, parse  # noqa: E402
from proofbook.model.problem import errors, format_problems  # noqa: E402
from proofbook.model.snippet import first_different_line  # noqa: E402
from proofbook.model.torch_records import wrong_records  # noqa: E402

from benchmarks import slips_in_links as at  # noqa: E402
from benchmarks import slips_in_words as of  # noqa: E402

Edits = Callable[[Page, Book], Iterator[of.Edit]]
CATCHERS = ("page", "pair", "run", "edit")


@dataclass(frozen=True)
class Kind:
    """A kind of change: how it is made, to which files, and the share that must be caught.

    `alike`: as if it were made in both languages; then the page by itself has to be caught. A
    language may say a number in words or leave a sentence out, so the floors of some are below 1.
    """

    edits: Edits
    floor: float = 0.0
    files: str = ".md"
    alike: bool = False


KINDS = {
    "digit in code": Kind(of.digits("c"), 0.97),
    "digit in maths": Kind(of.digits("m"), 0.98),
    "digit in prose": Kind(of.digits("p"), 0.8),
    "digit in a quoted title": Kind(of.digits("q"), 0.94),
    "digit in a name": Kind(of.digits_of_names, 0.8),
    "number in words": Kind(of.number_words, 0.8),
    "sign in code": Kind(of.signs("c"), 1.0),
    "sign in maths": Kind(of.signs("m"), 0.99),
    "sign in prose": Kind(of.signs("p", put=False)),
    "operator in code": Kind(of.operators("c"), 1.0),
    "operator in maths": Kind(of.operators("m"), 1.0),
    "letter dropped from a name": Kind(of.names(swap=False), 1.0),
    "letters of a name swapped": Kind(of.names(swap=True), 1.0),
    "values swapped": Kind(of.swapped_values, 0.69),
    "sentence dropped": Kind(of.dropped_sentences, 0.78),
    "anchor": Kind(at.anchors, 1.0),
    "link to no page": Kind(at.links_to_pages, 1.0),
    "link to another page": Kind(at.links_to_others, 1.0),
    "link to no anchor": Kind(at.anchors_of_links, 1.0),
    "link to another site": Kind(at.links_elsewhere, 1.0),
    "snippet that isn't there": Kind(at.paths, 1.0),
    "another snippet": Kind(at.other_paths, 1.0),
    "highlight": Kind(at.highlights, 1.0),
    "another line highlighted": Kind(at.other_highlights, 1.0),
    "older version": Kind(at.versions, 1.0),
    "number of a label, alike": Kind(of.numbers_of_labels, alike=True),
    "digit in code, alike": Kind(of.digits("c"), alike=True),
    "digit in prose, alike": Kind(of.digits("p"), alike=True),
    "unit, alike": Kind(of.units, alike=True),
    "link to another page, alike": Kind(at.links_to_others, alike=True),
    "version in a sentence, alike": Kind(of.versions_said, alike=True),
    "digit in an output": Kind(at.digits_of_outputs, 1.0, ".out"),
    "sign in an output": Kind(at.signs_of_outputs, 1.0, ".out"),
    "digit in another version's output": Kind(at.digits_of_records, 1.0, ".json"),
}
"""Floors were measured on the whole book and rounded down; whoever adds a check raises them.

What is only said to be edited, and why: a small number that the other language has as a word,
or that stands in the same paragraph once more; two numbers that have changed places, as word order
differs between the languages; a sentence whose numbers stand in its paragraph once more. What is
made alike in both languages has no floor yet: it was tried on samples only."""


@dataclass(frozen=True)
class Verdict:
    """A change and who caught it: one of `CATCHERS`, or None where it survived."""

    mutant: of.Mutant
    by: str | None


def mutants(book: Book, kinds: Sequence[str] = (), page: str = "") -> list[of.Mutant]:
    """All changes of the kinds (of all, if none is named), in the order of KINDS and files."""
    return [
        of.mutant(kind, file.file, file.text, edit)
        for kind in kinds or KINDS
        for file in _files(book, KINDS[kind].files)
        if file.file.startswith(page)
        for edit in KINDS[kind].edits(file, book)
    ]


def _files(book: Book, ending: str) -> Iterator[Page]:
    """The pages; outputs too are taken for pages here: files with a text."""
    if ending == ".md":
        yield from (_as_written(book, page) for page in book.pages)
    else:
        yield from (parse(file, book.text(file)) for file in book.files("snippets", ending))


def _as_written(book: Book, page: Page) -> Page:
    """A page as its file has it: in the book's own, what the file leaves open is filled in."""
    return parse(page.file, book.text(page.file), language=page.language)


def sample(all_of_them: Sequence[of.Mutant], count: int, seed: int) -> list[of.Mutant]:
    """About `count` changes, spread over the kinds; the rare kinds leave room for the others."""
    by_kind: dict[str, list[of.Mutant]] = defaultdict(list)
    for one in all_of_them:
        by_kind[one.kind].append(one)
    chosen: list[of.Mutant] = []
    left = len(by_kind)
    for kind in sorted(by_kind, key=lambda kind: len(by_kind[kind])):
        share = min(len(by_kind[kind]), (count - len(chosen)) // left)
        chosen += random.Random(f"{seed} {kind}").sample(by_kind[kind], share)
        left -= 1
    places = {id(one): place for place, one in enumerate(all_of_them)}
    return sorted(chosen, key=lambda one: places[id(one)])


@dataclass
class Judge:
    """Gives changes of one book to its checks. The book itself must hold."""

    book: Book

    def __call__(self, mutant: of.Mutant) -> Verdict:
        caught = self._page if mutant.file.endswith(".md") else self._output
        return Verdict(mutant, caught(mutant))

    def _page(self, mutant: of.Mutant) -> str | None:
        file = mutant.file
        book = self.book.with_texts({file: mutant.text(self.book.text(file))})
        if errors(problems_of_page(book, file)):
            return "page"
        if KINDS[mutant.kind].alike:
            return "edit"
        pair = next((pair for pair in translated(book) if file in pair), None)
        if pair and errors(problems_of_pair(book, *pair)):
            return "pair"
        if not pair:
            return None
        return "edit" if any(edited_in_one_language(book, self.book)) else None

    def _output(self, mutant: of.Mutant) -> str | None:
        old = self.book.text(mutant.file)
        new = mutant.text(old)
        script = f"{mutant.file.removesuffix('.out')}.py"
        book = self.book.with_texts({mutant.file: new})
        if any(wrong_records(book)):
            return "page"
        if any(errors(problems_of_page(book, file)) for file in book.pages_showing(script)):
            return "page"
        return "run" if mutant.file.endswith(".out") and first_different_line(new, old) else None


def judged(book: Book, changes: Sequence[of.Mutant], jobs: int = 1) -> list[Verdict]:
    """The verdicts, in the order of the changes."""
    if jobs == 1:
        return list(map(Judge(book), changes))
    size = 64  # neighbors are of one page
    parts = [changes[at : at + size] for at in range(0, len(changes), size)]
    with Pool(jobs) as pool:
        told = pool.imap(partial(_judged_at, book.root), parts)
        return [verdict for part in told for verdict in part]


def _judged_at(root: Path, changes: Sequence[of.Mutant]) -> list[Verdict]:
    return list(map(_judge(root), changes))


@cache
def _judge(root: Path) -> Judge:
    """Made once in each process: a book in memory doesn't travel between processes."""
    return Judge(read_book(root))


def table(verdicts: Sequence[Verdict]) -> str:
    """The score by kind, as text."""
    width = max(map(len, KINDS))
    head = " ".join(f"{name:>8}" for name in ("changes", "caught", "survived", "share", "floor"))
    rows = [f"{'kind':{width}} {head}   " + " ".join(f"{name:>6}" for name in CATCHERS)]
    for kind, by in [*_by_kind(verdicts).items(), ("all", Counter(v.by for v in verdicts))]:
        count, floor = by.total(), f"{KINDS[kind].floor:8.1%}" if kind in KINDS else " " * 8
        caught = _caught(by)
        share = f"{caught / count if count else 1:8.1%}"
        who = " ".join(f"{by[name]:6}" for name in CATCHERS)
        rows.append(f"{kind:{width}} {count:8} {caught:8} {by[None]:8} {share} {floor}   {who}")
    return "\n".join(rows)


def too_few(verdicts: Sequence[Verdict]) -> list[str]:
    """The kinds of which fewer were caught than KINDS asks for."""
    return [
        kind
        for kind, by in _by_kind(verdicts).items()
        if _caught(by) < KINDS[kind].floor * by.total()
    ]


def _caught(by: Counter) -> int:
    """How many were noticed by more than that they are edits."""
    return by.total() - by[None] - by["edit"]


def _by_kind(verdicts: Sequence[Verdict]) -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    for verdict in verdicts:
        found.setdefault(verdict.mutant.kind, Counter())[verdict.by] += 1
    return found


def survivors(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What nobody noticed, or what was only seen to be edited, a line for each."""
    for verdict in verdicts:
        if verdict.by in (None, "edit"):
            one, by = verdict.mutant, verdict.by or "nobody"
            yield f"{one.file}:{one.line}: {by}: {one.kind}: {one.before!r} -> {one.after!r}"


def main() -> int:
    about = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    about.add_argument("--kind", action="append", default=[], choices=KINDS, metavar="K")
    about.add_argument("--page", default="", metavar="P")
    about.add_argument("--sample", type=int, metavar="N")
    about.add_argument("--seed", type=int, default=0, metavar="S")
    about.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="J")
    asked = about.parse_args()
    began = time.perf_counter()
    book = read_book(ROOT)
    if problems := errors(problems_in_files(book)):
        sys.exit(f"{format_problems(problems)}\nThe book itself doesn't hold: fix it first.")
    changes = mutants(book, asked.kind, asked.page)
    if asked.sample:
        changes = sample(changes, asked.sample, asked.seed)
    verdicts = judged(book, changes, asked.jobs)
    for line in survivors(verdicts):
        print(line)
    print(f"\n{table(verdicts)}\n\n{time.perf_counter() - began:.0f} s")
    if low := too_few(verdicts):
        print(f"Fewer caught than KINDS asks for: {', '.join(low)}")
    unseen = [verdict for verdict in verdicts if verdict.by is None]
    if unseen:
        print(f"Noticed by nobody: {len(unseen)}")
    return 1 if low or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
