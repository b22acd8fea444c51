"""What to read again where an output has changed: the paragraphs that speak of what it said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proofbook.check.numbers import evidence_on_page
from proofbook.languages.contents import Section, paragraphs, sections
from proofbook.languages.translations import pages_by_language
from proofbook.markdown.spans import Span
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.snippet import output_file
from proofbook.upgrade.differences import OUTPUT, Difference


@dataclass(frozen=True)
class Paragraph:
    """A paragraph to read again: where it begins, its first line, and why.

    `shares`: what it has in common with lines that changed; empty if it stands beside the snippet.
    """

    file: str
    line: int
    text: str
    shares: tuple[str, ...] = ()


def to_reread(book: Book, found: Iterable[Difference]) -> list[Paragraph]:
    """The paragraphs of all languages that share a value, a message or a name with a line that
    changed, or stand beside a snippet that did, in the order of the pages."""
    changed: dict[str, set[int]] = {}
    for difference in found:
        lines = changed.setdefault(difference.script, set())
        if difference.part == OUTPUT:
            lines.update(range(difference.line, difference.line + max(1, len(difference.old))))
    shown = {file for script in changed for file in book.pages_showing(script)}
    files = [file for languages in pages_by_language(book).values() for file in languages.values()]
    return [each for file in files for each in _on_page(book, book.page(file), changed, shown)]


def _on_page(
    book: Book, page: Page, changed: dict[str, set[int]], shown: set[str]
) -> Iterator[Paragraph]:
    if page.file not in shown and shown.isdisjoint(page.linked_pages(0, len(page.text))):
        return
    parts = [part for section in sections(page) for part in paragraphs(page, section)]
    beside = _beside(page, parts, changed)
    named = _names(book, page, changed)
    shares: dict[int, dict[str, None]] = {}
    for statement, proving in evidence_on_page(page, book):
        for evidence in proving:
            script, part = evidence.snippet.script, evidence.text.part
            if part == "out" and evidence.line in changed.get(script, ()):
                line = page.line_of(statement.place)
                shares.setdefault(_place(parts, line), {})[str(statement)] = None
                break
    for code in page.own_code:
        if any(start <= code.line < end and _stands_in(code, text) for start, end, text in named):
            shares.setdefault(_place(parts, code.line), {})[code.one_line] = None
    for number, part in enumerate(parts):
        if number in beside or number in shares:
            words = part.text.strip().split("\n")[0]
            yield Paragraph(page.file, part.line, words, tuple(shares.get(number, ())))


def _names(book: Book, page: Page, changed: dict[str, set[int]]) -> Iterable[tuple[int, int, str]]:
    """The sections that show snippets that changed: their lines, and what changed lines said."""
    found = []
    for section in sections(page):
        for reference in page.references:
            if reference.path in changed and reference.line in section.lines:
                rows = book.text_or_empty(output_file(reference.path)).split("\n")
                said = (rows[line - 1] for line in changed[reference.path] if line <= len(rows))
                found.append((section.lines.start, section.lines.stop, "\n".join(said)))
    return found


def _stands_in(code: Span, text: str) -> bool:
    """Whether what stands in code, a name or a label, stands in what was printed."""
    name = code.one_line.removesuffix("()")
    whole = rf"(?<!\w){re.escape(name)}(?!\w)"
    return re.search(r"[A-Za-z]{2}", name) is not None and re.search(whole, text) is not None


def _beside(page: Page, parts: Sequence[Section], changed: dict[str, set[int]]) -> set[int]:
    """The paragraphs next to the snippets that changed, by their places in the list."""
    found = set()
    for reference in page.references:
        if reference.path in changed:
            found.add(max((n for n, p in enumerate(parts) if p.line < reference.line), default=-1))
            found.add(min((n for n, p in enumerate(parts) if p.line > reference.end), default=-1))
    return found - {-1}


def _place(parts: Sequence[Section], line: int) -> int:
    return max((n for n, part in enumerate(parts) if part.line <= line), default=0)
