"""Cuts the prose of a page into sentences, each as in its file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofbook.model.page import Page

_MASK, _ADDRESS = "\ufffc", "\ufffd"
_END = re.compile(
    r"[.!?]+[\")\]”’*_]*(?=\s+[^a-z\s])"  # "e.g. this" goes on
    # A title that ends in a question mark is followed by its address; the sentence continues.
    rf"|[。！？]+[”’」）)*_]*(?!{_ADDRESS})"
    r"|\Z"
)
_OPAQUE = ("code", "maths", "comment", "tag", "attributes", "autolink")
_BOLD = re.compile(r"\*\*")
_STOPPED = re.compile(r"[.!?。！？][\")\]”’」）*_]*\s*\Z")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a page: `page.text[start:end]`.

    `text`: as Markdown, in one line, without the marks of bold, which don't change its meaning;
    `line`: its first line.
    """

    start: int
    end: int
    line: int
    text: str


def sentences(page: Page) -> tuple[Sentence, ...]:
    """The sentences of paragraphs, items of lists and boxes, in their order.

    Headings, titles of boxes and captions of figures don't count; cells of a table only with a full
    stop.
    """
    masked = _masked(page)
    silent = {line for first, last in page.blocks for line in range(first, last + 1)}
    titles = [(span.start, span.end) for span in page.spans_of("heading", "box")]
    found: list[Sentence] = []
    for region in page.scanned.regions:
        if any(start <= region.start < end for start, end in titles):
            continue
        if page.line_of(region.start) in silent:
            continue
        cut = _cut(page, masked, region.start, region.end)
        found += (s for s in cut if not region.ends_line or _STOPPED.search(s.text))
    return tuple(found)


def _masked(page: Page) -> str:
    """The text with a sign for each character of code and formulas, and another for addresses."""
    masked = list(page.blanked(_OPAQUE, letter=_MASK))
    for link in page.links:
        masked[link.content_end : link.end] = _ADDRESS * (link.end - link.content_end)
    return "".join(masked)


def _cut(page: Page, masked: str, start: int, end: int) -> Iterator[Sentence]:
    first = start
    for stop in _END.finditer(masked[start:end]):
        last = start + stop.end()
        text = page.text[first:last]
        if stripped := text.strip():
            begin = first + len(text) - len(text.lstrip())
            end_of_it = begin + len(stripped)
            line = page.line_of(begin)
            stars = _BOLD.finditer(masked[begin:end_of_it])
            marks = {place for two in stars for place in range(*two.span())}
            letters = (c for place, c in enumerate(stripped) if place not in marks)
            yield Sentence(begin, end_of_it, line, " ".join("".join(letters).split()))
        first = last
