"""Slips of the pen in what a page points to, and in outputs. See `mutations.py`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from proofbook.model.book import Book
from proofbook.model.page import Page, read

from benchmarks.slips_in_words import Edit, marks, next_digits

_LINK = re.compile(r"(?<=\])\((?P<to>[^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")


def anchors(page: Page, book: Book) -> Iterator[Edit]:
    """The anchor of a heading loses a letter."""
    for heading in page.headings:
        if heading.anchor:
            start = _line_start(page, heading.line)
            start = page.text.index(f"#{heading.anchor}", start) + 1
            yield start, start + 1, ""


def _links(page: Page, elsewhere: bool) -> Iterator[tuple[int, str]]:
    marked = marks(page)
    for found in _LINK.finditer(page.text):
        to = found["to"]
        if marked[found.start()] == " " and to.startswith(("http:", "https:")) == elsewhere:
            yield found.start("to"), to


def links_elsewhere(page: Page, book: Book) -> Iterator[Edit]:
    """The address of a link to another site changes: its last digit, else its last letter."""
    for start, to in _links(page, True):
        place = max((i for i, x in enumerate(to) if x.isdigit()), default=-1)
        if place >= 0:
            yield from next_digits(page.text, start + place, start + place + 1)
        else:
            place = max(i for i, x in enumerate(to) if x.isalnum())
            yield start + place, start + place + 1, ""


def links_to_pages(page: Page, book: Book) -> Iterator[Edit]:
    """The link names a page that isn't there."""
    for start, to in _links(page, False):
        if name := to.partition("#")[0]:
            place = start + len(posixpath.dirname(name)) + bool(posixpath.dirname(name))
            yield place, place + 1, ""


def links_to_others(page: Page, book: Book) -> Iterator[Edit]:
    """The link names the next page of the same folder."""
    files = [other.file for other in book.pages]
    for start, to in _links(page, False):
        name = to.partition("#")[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file), name))
        ending = ".".join(target.rsplit(".", 2)[1:])
        folder = [
            f
            for f in files
            if posixpath.dirname(f) == posixpath.dirname(target) and f.endswith(ending)
        ]
        if name and target in folder and len(folder) > 1:
            other = posixpath.basename(folder[(folder.index(target) + 1) % len(folder)])
            base = start + len(name) - len(posixpath.basename(name))
            yield base, start + len(name), other


def anchors_of_links(page: Page, book: Book) -> Iterator[Edit]:
    """The anchor that a link names loses a letter."""
    for start, to in _links(page, False):
        if "#" in to:
            place = start + to.index("#") + 1
            yield place, place + 1, ""


def paths(page: Page, book: Book) -> Iterator[Edit]:
    """The path of a snippet loses a letter."""
    for reference in page.references:
        start = page.text.index(reference.path, _line_start(page, reference.line))
        place = start + reference.path.rfind("/") + 1
        yield place, place + 1, ""


def other_paths(page: Page, book: Book) -> Iterator[Edit]:
    """The page names another snippet, one that is there."""
    for reference in page.references:
        if reference.path in book.scripts:
            start = page.text.index(reference.path, _line_start(page, reference.line))
            other = book.scripts[(book.scripts.index(reference.path) + 1) % len(book.scripts)]
            yield start, start + len(reference.path), other


def highlights(page: Page, book: Book) -> Iterator[Edit]:
    """A highlight loses its last letter."""
    for reference in page.references:
        for text, line in reference.highlights:
            end = page.text.rindex(text, 0, _line_start(page, line + 1)) + len(text)
            yield end - 1, end, ""


def other_highlights(page: Page, book: Book) -> Iterator[Edit]:
    """Another line of the script is highlighted."""
    for reference in page.references:
        code = read(book.root / reference.path).split("\n") if reference.highlights else []
        rows = [row.strip() for row in code]
        for text, line in reference.highlights:
            alone = [r for r in rows if r and text not in r and sum(r in x for x in rows) == 1]
            start = page.text.rindex(text, 0, _line_start(page, line + 1))
            if alone:
                yield start, start + len(text), alone[0]


def versions(page: Page, book: Book) -> Iterator[Edit]:
    """The version of an older output changes."""
    for reference in page.references:
        for key, value, line in reference.options:
            if key == "then":
                start = page.text.rindex(value, 0, _line_start(page, line + 1))
                yield from next_digits(page.text, start, start + len(value))


def digits_of_outputs(output: Page, book: Book) -> Iterator[Edit]:
    """Each digit of an output becomes the next digit."""
    yield from next_digits(output.text, 0, len(output.text))


def digits_of_records(record: Page, book: Book) -> Iterator[Edit]:
    """Each digit of what another version of PyTorch printed becomes the next digit."""
    yield from next_digits(record.text, record.text.index('"outputs"'), len(record.text))


def signs_of_outputs(output: Page, book: Book) -> Iterator[Edit]:
    """Each negative number of an output loses its sign."""
    for found in re.finditer(r"(?<![\w)\]])-(?=\d)", output.text):
        yield *found.span(), ""


def _line_start(page: Page, line: int) -> int:
    return sum(len(row) + 1 for row in page.text.split("\n")[: line - 1])
