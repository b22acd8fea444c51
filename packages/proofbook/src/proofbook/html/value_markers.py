"""Value links: the places on a page that link to the proving line of a run, as markers in its
Markdown.

`find_value_links` finds the targets of the statements of a page. `with_markers` encloses the
statements in the Markdown of the page in three characters without a meaning in Markdown, and
`link_values` (in `value_links`) turns them into links in its HTML. Expansions of a page for other
uses, such as a test or a notebook, contain no marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from proofbook.maths.numbers import Evidence, Statement, evidence_on_page
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.snippet import VARIED

OPEN, NUMBERED, CLOSE = "\ue000", "\ue001", "\ue002"  # for private use, says Unicode
"""A marker is OPEN, the number of a link, NUMBERED, the linked text, CLOSE."""
_MARKER = re.compile(f"{OPEN}\\d+{NUMBERED}|{CLOSE}")
_CALL = re.compile(r"(?!(?:torch\.)?tensor\()[a-z_.]+\(")


@dataclass(frozen=True)
class ValueLink:
    """A place in the text of a page, from `start` to `end`, and its proof."""

    start: int
    end: int
    evidence: Evidence


FormulaNumbers = dict[float, list[Evidence | None]]
"""The numbers of a formula without their signs, each with its proof, once for each occurrence."""


@dataclass
class PageValueLinks:
    """The value links of one page, and the ids of its lines to which such links point.

    `formulas`: by LaTeX, the proofs of the numbers of a formula, for each of its occurrences.
    `line_ids`: by script, part ("code", "out", or an older version of PyTorch), and number of the
    line, from 1.
    """

    file: str = ""
    text: str = ""
    links: list[ValueLink] = field(default_factory=list)
    formulas: dict[str, list[FormulaNumbers]] = field(default_factory=dict)
    line_ids: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def evidence(self) -> Iterator[Evidence]:
        """The targets of the links of the page."""
        yield from (link.evidence for link in self.links)
        for formulas in self.formulas.values():
            for numbers in formulas:
                yield from (
                    evidence for known in numbers.values() for evidence in known if evidence
                )

    def with_markers(self, markdown: str) -> str:
        """The Markdown of the page, with or without its front matter, with markers in it.

        A text that has changed since it was read is left unchanged.
        """
        if not self.text.endswith(markdown):
            return markdown
        shift, at, parts = len(self.text) - len(markdown), 0, []
        for number, link in enumerate(self.links):
            start, end = link.start - shift, link.end - shift
            parts += [markdown[at:start], f"{OPEN}{number}{NUMBERED}", markdown[start:end], CLOSE]
            at = end
        return "".join(parts) + markdown[at:]


def without_markers(text: str) -> str:
    """A text without the markers at places where nothing may be linked."""
    return _MARKER.sub("", text) if OPEN in text or CLOSE in text else text


def find_value_links(book: Book, file: str) -> PageValueLinks:
    """The value links of a page, and the ids of its lines to which links of any page point."""
    return replace(book.remember(_links_of_page, file), line_ids=book.fact(_line_ids, file))


def _links_of_page(book: Book, file: str) -> PageValueLinks:
    return _of_page(book.page(file), book)


def _line_ids(book: Book, file: str) -> dict[tuple[str, str, int], str]:
    """The ids of the lines of a page to which links point, by script, part and line."""
    return dict(book.fact(_line_ids_by_page).get(file, ()))


def _line_ids_by_page(book: Book) -> dict[str, list[tuple[tuple[str, str, int], str]]]:
    found: dict[str, list[tuple[tuple[str, str, int], str]]] = {}
    for page in book.page_files:
        for target, line, name in book.fact(_targets, page):
            found.setdefault(target, []).append((line, name))
    return found


def _targets(book: Book, file: str) -> tuple[tuple[str, tuple[str, str, int], str], ...]:
    """The targets of the value links of a page: page, line of a run, id of the line."""
    known_evidence = book.remember(_links_of_page, file).evidence()
    return tuple(
        dict.fromkeys(
            (p.snippet.page, (p.snippet.script, p.text.part, p.line), line_id(p))
            for p in known_evidence
            if not p.text.part.startswith(VARIED)
        )
    )


def line_id(evidence: Evidence) -> str:
    """The id of a line on its page."""
    return f"{evidence.snippet.name}-{evidence.text.part}-{evidence.line}"


def normalized(latex: str) -> str:
    """The LaTeX of a formula, as a key to find it again in the HTML."""
    return " ".join(latex.split())


def _of_page(page: Page, book: Book) -> PageValueLinks:
    by_place: dict[int, list[tuple[Statement, Iterator[Evidence]]]] = {}
    for statement, proving in evidence_on_page(page, book):
        if statement.kind == "name":
            continue  # its documentation says more than the line
        by_place.setdefault(statement.place, []).append((statement, proving))
    links = PageValueLinks(page.file, page.text)
    for maths in page.maths:
        numbers: FormulaNumbers = {}
        for statement, proving in by_place.pop(maths.start, ()):
            evidence = next(proving, None) if statement.bare else None
            known = numbers.setdefault(abs(statement.wanted[0]), [])  # MathML separates the sign
            known.append(evidence if evidence and evidence.snippet.script else None)
        latex = normalized(maths.content)
        links.formulas.setdefault(latex, []).append(numbers)
    unlinked = {n for r in page.references for n in range(r.line, r.end + 1)}
    unlinked |= {heading.line for heading in page.headings}
    for place, statements in sorted(by_place.items()):
        evidence, first = _common([proving for _, proving in statements]), statements[0][0]
        if not evidence or not evidence.snippet.script or page.line_of(place) in unlinked:
            continue
        # The number of a call proves nothing of the call.
        if not _CALL.match(first.said) or first.said in evidence.words:
            links.links.append(ValueLink(place, first.end, evidence))
    return links


def _common(proving: list[Iterator[Evidence]]) -> Evidence | None:
    """The best evidence of the first statement, preferably one that all statements share."""
    if len(proving) == 1:
        return next(proving[0], None)
    first, *others = map(list, proving)
    shared = (evidence for evidence in first if all(evidence in other for other in others))
    return next(shared, first[0] if first else None)
