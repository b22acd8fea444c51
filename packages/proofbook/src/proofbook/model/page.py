"""A page: prose that names snippets, parsed from its file.

A page names a snippet with a block that looks like mkdocstrings::

    ::: snippets/accumulate/two_losses.py
        highlight: loss3.backward()

Its file is `docs/basics/leaf.zh.md` for the page `basics/leaf` in Chinese; in a book of one
language the code may be left out.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from pathlib import Path

from proofbook.markdown.blocks import scan_blocks, scan_spans
from proofbook.markdown.spans import Blocks, Heading, Reference, Span
from proofbook.model.config import LANGUAGE_CODE
from proofbook.model.problem import Problem

_NO_PROSE = (
    *("front-matter", "fence", "indented-code", "directive", "option", "comment", "code"),
    *("maths", "autolink", "tag", "attributes", "definition", "footnote"),
)
"""The kinds of spans that are not prose."""

_NO_TEXT = ("front-matter", "fence", "directive", "option", "code", "maths")
_MARKED = ("front-matter", "fence", "directive", "option", "code", "tag", "attributes")
_PYTHON = re.compile(r"^(?:\{[^}]*\.|\{? *)(?:i?python[23]?|py[23]?|pycon)\b", re.IGNORECASE)
# A misspelled directive, which readers would see as text.
_STRAY = re.compile(r"[:：]{2,}\s*(?:snippets|docs)/")
_OPENING = re.compile(r"<!--|(?<!\\)\$\$")
_ANCHOR = re.compile(r"(?<=[{ ])#([\w-]+)")
_ID = re.compile(r"\bid=[\"']?([\w-]+)")
_MARKER = re.compile(r"<!--[-\s]*pytest(?:-codeblocks:|\.mark)")
# The title of a thread or an article is quoted: its words are not the author's.
_QUOTED = re.compile(r"「[^「」\n]*」|《[^《》\n]*》|“[^“”\n]*”|\"[^\"\n]*\"")
_OFFICIAL = ("https://docs.pytorch.org/", "https://pytorch.org/")


@dataclass(frozen=True)
class Page:
    """A parsed page. `text`: its file's text, filled in, with lines ended by `\
    ` alone.

    `scanned`: its fences, directives, headings and paragraphs; `spans`: those, and the code, maths,
    links and so on within them, in the order of the text. `language`: the code of its language.
    """

    file: str
    text: str
    references: tuple[Reference, ...]
    headings: tuple[Heading, ...]
    scanned: Blocks = field(compare=False, repr=False)
    language: str = ""

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """All spans that the scanner finds in the page, in the order of the text."""
        return scan_spans(self.scanned)

    def spans_of(self, *kinds: str) -> list[Span]:
        """The spans of these kinds."""
        return [span for span in self.spans if span.kind in kinds]

    def spans_between(self, start: int, end: int) -> tuple[Span, ...]:
        """The spans that begin between two places of the text."""
        place = attrgetter("start")
        return self.spans[
            bisect_left(self.spans, start, key=place) : bisect_left(self.spans, end, key=place)
        ]

    @cached_property
    def code_spans(self) -> list[Span]:
        """The code within the prose."""
        return self.spans_of("code")

    @cached_property
    def maths(self) -> list[Span]:
        """The formulas, inline and displayed."""
        return self.spans_of("maths")

    @cached_property
    def own_code(self) -> list[Span]:
        """The code within the prose, without the code in quotations."""
        found, quoted = [], iter(self.foreign_words)
        end, following = -1, next(quoted, None)
        for span in self.code_spans:
            while following and following[0] <= span.start:
                end, following = max(end, following[1]), next(quoted, None)
            if span.start >= end:
                found.append(span)
        return found

    @cached_property
    def links(self) -> list[Span]:
        """The links and images, and definitions of addresses; without those in angle brackets."""
        return self.spans_of("link", "image", "definition")

    def target(self, link: Span) -> tuple[str, str]:
        """The file of the book that an internal link points to, and the anchor in it."""
        name, _, anchor = link.address.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(self.file), name))
        return (file if name else self.file), anchor

    def linked_pages(self, start: int, end: int) -> Iterator[str]:
        """The files of the pages to which links between two places of the text point."""
        for link in self.links:
            if start <= link.start < end and not link.external:
                file, _ = self.target(link)
                if file.endswith(".md") and not link.address.startswith("#"):
                    yield file

    @cached_property
    def prose(self) -> str:
        """The text with everything blanked except prose, with each word at its original place.

        Blanked are front matter, code, directives, maths, comments, tags, attributes and addresses.
        """
        return self.blanked(_NO_PROSE, addresses=True)

    @cached_property
    def own_words(self) -> str:
        """The prose without its quotations: titles of links to other sites, words in quotes."""
        text = list(self.prose)
        for start, end in self.quotations:
            text[start:end] = _blank(self.prose[start:end])
        return "".join(text)

    @cached_property
    def quotations(self) -> list[tuple[int, int]]:
        """Start and end of each quotation: titles of other sites, words in quotation marks."""
        titles = [span for span in self.spans_of("link") if span.external]
        return sorted([*map(_words_of, titles), *self._in_quotes])

    @cached_property
    def foreign_words(self) -> list[tuple[int, int]]:
        """As `quotations`, without the titles in the official documentation of PyTorch."""
        titles = [span for span in self.spans_of("link") if span.external]
        titles = [span for span in titles if not span.address.startswith(_OFFICIAL)]
        return sorted([*map(_words_of, titles), *self._in_quotes])

    @cached_property
    def _in_quotes(self) -> list[tuple[int, int]]:
        # A quotation mark within code quotes nothing, and the title of a box is the author's own.
        boxes = {span.line for span in self.spans_of("box")}
        masked = self.blanked(_MARKED, letter="x")
        return [
            found.span()
            for found in _QUOTED.finditer(masked)
            if found[0][0] != '"' or self.line_of(found.start()) not in boxes
        ]

    @property
    def name(self) -> str:
        """The page's path without folder of pages, language and suffix: `basics/leaf`."""
        return name_of(self.file)

    @cached_property
    def typed_python(self) -> tuple[int, ...]:
        """The lines that open a fence of Python."""
        fences = self.spans_of("fence")
        return tuple(span.line for span in fences if _PYTHON.match(span.name))

    @cached_property
    def markers(self) -> tuple[int, ...]:
        """The lines with a marker of a test runner."""
        return tuple(span.line for span in self.spans_of("comment") if _MARKER.match(span.content))

    @cached_property
    def strays(self) -> tuple[int, ...]:
        """The lines that were meant as a directive or a fence and would be shown as text."""
        text = self.blanked(_NO_TEXT)
        found = {self.line_of(stray.start()) for stray in _STRAY.finditer(text)}
        return tuple(sorted(found.union(self.scanned.unclosed)))

    @cached_property
    def unclosed(self) -> tuple[tuple[int, str], ...]:
        """The lines with an unmatched mark of a comment or a formula, each with the mark."""
        text = self.blanked((*_NO_TEXT, "comment", "indented-code"))
        marks = [(mark.start(), mark[0]) for mark in _OPENING.finditer(text)]
        html = self.spans_of("html-block")
        return tuple(
            (self.line_of(place), mark)
            for place, mark in marks
            if mark == "<!--" or not any(block.start <= place < block.end for block in html)
        )

    @cached_property
    def anchors(self) -> tuple[tuple[str, int], ...]:
        """The anchors that the page defines, of headings and other elements, with their lines."""
        found = [(heading.anchor, heading.line) for heading in self.headings if heading.anchor]
        headings = {heading.line for heading in self.headings}
        for span in self.spans_of("attributes", "tag"):
            if span.kind == "tag" or span.line not in headings:
                pattern = _ID if span.kind == "tag" else _ANCHOR
                named = pattern.search(self.text, span.start, span.end)
                found += [(named[1], span.line)] if named else []
        return tuple(sorted(found, key=lambda each: each[1]))

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """First and last lines of front matter, code fences and directives, which are not prose."""
        return tuple(self.scanned.not_prose)

    def line(self, number: int) -> str:
        """A line of the page, from 1."""
        return self.lines[number - 1]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the page."""
        return self.text.split("\n")

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins in the text."""
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    def line_of(self, place: int) -> int:
        """The line of a place in the text, from 1."""
        return bisect_right(self.line_starts, place)

    def problem(self, line: int, what: str, expected: str, found: str, fix: str) -> Problem:
        """A problem on a line of the page."""
        return Problem(self.file, line, what, expected, found, fix, (self.file,))

    def blanked(self, kinds: Collection[str], addresses: bool = False, letter: str = " ") -> str:
        text = list(self.text)
        for span in self.spans:
            if span.kind in kinds:
                cuts = [(span.start, span.end)]
            elif addresses and span.kind in ("link", "image"):
                cuts = [(span.start, span.content_start), (span.content_end, span.end)]
            else:
                continue
            for start, end in cuts:
                text[start:end] = _blank(self.text[start:end], letter)
        return "".join(text)


def language_of(file: str) -> str:
    """The language code in the file name of a page; "" if there is none."""
    _, dot, code = file.removesuffix(".md").rpartition("/")[2].rpartition(".")
    return code if dot and LANGUAGE_CODE.fullmatch(code) else ""


def stem_of(file: str) -> str:
    """A page without language and suffix: `docs/basics/leaf`."""
    return file.removesuffix(".md").removesuffix(f".{language_of(file)}")


def name_of(file: str) -> str:
    """A page without language and suffix, relative to `docs/`: `basics/leaf`."""
    return stem_of(file).removeprefix("docs/")


def read(file: Path) -> str:
    """The text of a file, its lines ended by `\\n` alone; raises `UnicodeDecodeError`."""
    return decoded(file.read_bytes())


def decoded(raw: bytes) -> str:
    """UTF-8 as text, its lines ended by `\\n` alone, without the byte order mark that Windows
    writes; raises `UnicodeDecodeError`."""
    return one_line_end(raw.decode("utf-8")).removeprefix("\ufeff")


def one_line_end(text: str) -> str:
    """The text with each line ended by `\
    ` alone, on any system.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse(file: str, text: str, whole: bool = True, language: str = "") -> Page:
    """Parse a page. Inside a code fence there are no references and no headings.

    `whole`: the text is the whole file; otherwise its front matter has been removed. `language`:
    its code; by default from the name of the file.
    """
    text = one_line_end(text)
    blocks = scan_blocks(text, whole)
    references, headings = tuple(blocks.references), tuple(blocks.headings)
    return Page(file, text, references, headings, blocks, language or language_of(file))


def _words_of(link: Span) -> tuple[int, int]:
    return link.content_start - 1, link.content_end + 1


def _blank(text: str, letter: str = " ") -> str:
    return "\n".join(letter * len(row) for row in text.split("\n"))


def external_links(page: Page) -> Iterator[tuple[str, str]]:
    """The links of a page that lead out of the book: their words and their addresses."""
    for link in page.links:
        if link.external and link.kind == "link":
            yield link.content, link.address
