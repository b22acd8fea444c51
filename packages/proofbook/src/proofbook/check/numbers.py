"""Numbers, messages and names in the text of a page: each must be found in a run that it shows.

The names are those that only a run can prove: of autograd's nodes, of errors and warnings.
A run is a snippet's code and what it printed. Where a page, or a section of it, speaks of the run
of another page, it links there: the runs of the pages that a section links to count for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from proofbook.markdown.placeholders import fill_placeholders
from proofbook.maths.equalities import equalities, sides
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import (
    NUMBER,
    ShownSnippet,
    SnippetText,
    numbers_in,
    snippets_on_page,
    spaced,
)

_VALUE = re.compile(r"(?:[a-z_.]+\()?[-−\d.e+,\[\]() ]+\)?")
_NAMED = re.compile(r'data-(line|source)="([^"]*)"')
_STEP = re.compile(r"#trace-[\w-]+-step-\d+$")
"""A link to a step of a figure; `proofbook.check.links` sees that it names the right one."""
_MESSAGE = re.compile(
    r"(?!(?:python3?|pytest|pip|mkdocs|git) )[A-Za-z'][\w'.,:-]*(?: [\w'.,:()\[\]-]+){3,}"
)
NAME = re.compile(r"\b(?:[A-Z]\w*Backward\d*|AccumulateGrad|[A-Z]\w*(?:Error|Warning))\b")
"""The class of a node of the graph, of an error, of a warning: another PyTorch may have another."""
_OTHER_PROOF = {"name": "a recording of one"}
_BARE = re.compile(r"(?:[-\d.,()\[\]\s&]|\\[,;! ]|\\(?:left|right)\b)*")
# Words that introduce an assumption, in the same clause.
_SUPPOSED = re.compile(
    r"(?:\b(?:if|suppose|assume|imagine|let)\b[^.,;:!?\n]{0,24}"
    r"|(?:如果|假设|假如|倘若|若|[设令](?= ))[^。，；：！？\n]{0,12})\Z",
    re.IGNORECASE,
)
# Versions of PyTorch and years need no evidence.
_VERSION = re.compile(r"(?:0\.[1-4]|1\.(?:1[0-3]|\d)|2\.(?:1[0-5]|\d))(?:\.[0-2])?")
_YEAR = re.compile(r"20[12]\d")


@dataclass(frozen=True)
class Statement:
    """Something that a page says a run prints: numbers one after another, or words.

    `place` and `end`: its position in the text of the page, with its marks of code; `said`: its
    own words. `line`: the beginning of the one line of the output in which it must stand, or None.
    `source`: where it comes from instead, or None. `bare`: whether it is a whole side of an
    equation; the 3 of $3w = 6$ is not, so that no result proves it.
    """

    place: int
    end: int
    kind: str
    wanted: tuple[float, ...] | str
    said: str
    line: str | None = None
    source: str | None = None
    bare: bool = True

    def lines_in(self, text: SnippetText) -> list[int]:
        """The lines of a text that show it; those first that say it just so."""
        if self.kind == "name":
            lines = list(text.lines_naming(self.wanted))
        elif isinstance(self.wanted, str):
            lines = list(text.lines_saying(self.wanted))
        else:  # In prose a minus may be a difference, or belong to the text before it.
            found = text.lines_with(self.wanted, signed=self.kind == "value")
            lines = sorted(found, key=lambda line: self.said not in text.lines[line - 1])
        if self.line is None:
            return lines
        named = [n for n, row in enumerate(text.lines, 1) if row.strip().startswith(self.line)]
        return [line for line in lines if [line] == named]

    def __str__(self) -> str:
        if isinstance(self.wanted, str):
            return self.wanted
        return ", ".join(f"{number:g}" for number in self.wanted)


@dataclass(frozen=True)
class Evidence:
    """The line, from 1, of a text of a run that shows what a page says."""

    snippet: ShownSnippet
    text: SnippetText
    line: int

    @property
    def words(self) -> str:
        """The text of the line."""
        return self.text.lines[self.line - 1]


def find_evidence(
    page: Page, statements: Iterable[Statement], runs: Callable[[str], Sequence[ShownSnippet]]
) -> Iterator[tuple[Statement, Iterator[Evidence]]]:
    """The statements of a page, each with the lines that prove it, the best first.

    Those that name another source are left out. `runs` gives the runs of a page by its file; of one
    that doesn't exist, none. What proves a number may be an equation of the page instead: a run
    that is no `script`'s.
    """
    own = runs(page.file)
    # The text may use what an equation derives; the equation itself is checked apart.
    derived = SnippetText(" ".join(f"{e.left} {e.right}" for e in equalities(page) if e.computed))
    spoken = SnippetText(" ".join(maths.content for maths in page.maths))
    of_runs = [statement for statement in statements if statement.source is None]
    for start, end in _sections(page):
        linked = [run for file in page.linked_pages(start, end) for run in runs(file)]
        known = [(run, text) for run in [*own, *linked] for text in run.texts]
        for statement in (one for one in of_runs if start <= one.place < end):
            near = sorted(known, key=partial(_distance, statement, page, start, end))
            if statement.kind == "name":
                nodes = [SnippetText(run.nodes) for run in (*own, *linked) if run.nodes]
                near += [(ShownSnippet((text,)), text) for text in nodes]
            elif not statement.line:
                maths = derived if statement.kind == "number in an equation" else spoken
                near.append((ShownSnippet((maths,)), maths))
            yield statement, _in_order(statement, near)


def _in_order(
    statement: Statement, known: Sequence[tuple[ShownSnippet, SnippetText]]
) -> Iterator[Evidence]:
    for run, text in known:
        yield from (Evidence(run, text, line) for line in statement.lines_in(text))


def _distance(
    statement: Statement, page: Page, start: int, end: int, shown: tuple[ShownSnippet, SnippetText]
) -> tuple[int, ...]:
    """How far a reader has to look for a text, in the order of what counts most."""
    run, text = shown
    elsewhere = run.page != page.file
    return (
        elsewhere,
        not elsewhere and not start <= run.place < end,
        not re.search("[a-z]", statement.said) or statement.said not in text.text,  # `lr=0.1`
        ("out", "code").index(text.part) if text.part in ("out", "code") else 2,
        run.place > statement.place,
        abs(run.place - statement.place),
    )


def evidence_on_page(page: Page, book: Book) -> Iterator[tuple[Statement, Iterator[Evidence]]]:
    """The statements of a page of a book, each with the lines that prove it, the best first."""
    statements = book.cached(statements_of, page)
    return find_evidence(page, statements, lambda file: book.fact(snippets_on_page, file))


def unproved_values(page: Page, book: Book) -> Iterator[Problem]:
    """The numbers and messages of a page that no run on it shows."""
    return without_evidence(page, evidence_on_page(page, book))


def without_evidence(
    page: Page, found: Iterable[tuple[Statement, Iterator[Evidence]]]
) -> Iterator[Problem]:
    """The problems of those statements of a page for which there is no evidence."""
    for statement, proving in found:
        if next(proving, None) is None and not _is_supposed(page, statement):
            where = f"the line with {statement.line!r} of" if statement.line else "the code or"
            yield page.problem(
                page.line_of(statement.place),
                f"no run shows this {statement.kind}",
                f"what stands in {where} output of a snippet of the page, of a page that this "
                f"section links to, or in {_OTHER_PROOF.get(statement.kind, 'an equation')}",
                str(statement),
                "correct it, or show the run that prints it",
            )


def _is_supposed(page: Page, statement: Statement) -> bool:
    """Whether a number is one that the page supposes: "if `w` were `17`", "suppose $n = 50$"."""
    return _SUPPOSED.search(page.prose, max(0, statement.place - 60), statement.place) is not None


def statements_of(page: Page) -> tuple[Statement, ...]:
    """What a page says that runs print: in plain words, in code, in formulas."""
    return (*_in_prose(page), *_in_code(page), *_in_maths(page), *_names(page))


def _in_prose(page: Page) -> Iterator[Statement]:
    words = list(page.prose)
    for link in page.links:  # a title is quoted, and a step is checked as a link
        if link.external or _STEP.search(link.address):
            words[link.start : link.end] = " " * (link.end - link.start)
    installed = fill_placeholders("{{ torch.version }}")
    for found in NUMBER.finditer("".join(words)):
        digits = found["digits"].rstrip(".")
        if not found["sign"] and len(digits) == 1:
            continue  # a count, as the 3 layers
        if _VERSION.fullmatch(digits) or _YEAR.fullmatch(digits) or digits == installed:
            continue
        said = found[0].rstrip(".")
        place = found.start()
        yield Statement(place, place + len(said), "number", (float(digits),), said)


def _in_code(page: Page) -> Iterator[Statement]:
    for code in page.code_spans:
        attributes = dict(_NAMED.findall(code.attributes))
        place, end, inside = code.start, code.whole_end, code.content
        more = inside, attributes.get("line"), attributes.get("source")
        numbers = numbers_in(inside)
        if _MESSAGE.fullmatch(inside):
            yield Statement(place, end, "message", " ".join(inside.split()), *more)
        elif _VALUE.fullmatch(inside):
            if numbers:
                yield Statement(place, end, "value", numbers, *more)
        else:  # an expression: its small numbers are places and counts
            for number in numbers:
                if abs(number) > 9 or not number.is_integer():
                    yield Statement(place, end, "number", (number,), *more)


def _names(page: Page) -> Iterator[Statement]:
    """The names in code; a message is looked for as a whole, and what is quoted is another's."""
    for code in page.own_code:
        if not _MESSAGE.fullmatch(code.content):
            source = dict(_NAMED.findall(code.attributes)).get("source")
            for name in NAME.findall(code.content):
                yield Statement(code.start, code.whole_end, "name", name, name, source=source)


def _in_maths(page: Page) -> Iterator[Statement]:
    for maths in page.maths:
        bare = [
            range(at, at + len(side)) for side, at in sides(maths.content) if _BARE.fullmatch(side)
        ]
        for found in NUMBER.finditer(spaced(maths.content)):
            if len(digits := found["digits"].rstrip(".")) > 1:
                alone = any(found.start() in side for side in bare)
                said = "number in an equation", (float(digits),), digits
                yield Statement(maths.start, maths.end, *said, bare=alone)


def _sections(page: Page) -> list[tuple[int, int]]:
    """The parts of a page, from one heading of the second level to the next."""
    places = [heading.start for heading in page.spans_of("heading") if heading.name == "2"]
    return list(zip([0, *places], [*places, len(page.text)], strict=True))
