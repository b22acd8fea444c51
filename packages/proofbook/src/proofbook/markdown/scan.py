"""One scanner of a page's Markdown: typed spans, each with its place, its line and its parts.

What it calls code, maths or a link is what the site renders as that; the tests compare the two.
`proofbook.markdown.blocks` and `paragraphs` cut the lines, `inline` what stands in them.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from proofbook.markdown.blocks import scan_blocks
from proofbook.markdown.inline import scan_inline
from proofbook.markdown.spans import Blocks, Span


def scan_spans(blocks: Blocks) -> tuple[Span, ...]:
    """All spans of a page in the order of the text: blocks, and the inline spans of prose."""
    starts = [0, *accumulate(len(line) + 1 for line in blocks.text.split("\n"))]

    def line_of(place: int) -> int:
        return bisect_right(starts, place)

    found = list(blocks.spans)
    for region in blocks.regions:
        found += scan_inline(blocks.text, region, line_of, blocks.definitions)
    return tuple(sorted(found, key=lambda span: (span.start, -span.end)))


def scan(text: str) -> tuple[Span, ...]:
    """All spans of a text of Markdown; its lines end with `\\n`."""
    return scan_spans(scan_blocks(text, whole=False))
