"""A network as a picture: a column of neurons for each layer, and a line for each weight.

::: network
    layers: 1, 8, 1
    alt: One input, eight neurons, one output; each is connected with all of the next layer.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise

from proofbook.directives import Directive
from proofbook.markdown.spans import Option, Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Unproved

OPTIONS = {
    "layers": Option("layers: <the number of neurons of each layer, with commas between them>"),
    "alt": Option("alt: <what the picture shows, in words>", words="all", same=False),
}
_APART, _RADIUS, _BETWEEN = 26, 8, 130


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    """The picture as SVG, in the color of the text."""
    written, alt = reference.option("layers") or "", reference.option("alt") or ""
    try:
        sizes = [int(size) for size in written.split(",")]
    except ValueError:
        sizes = []
    if not alt or len(sizes) < 2 or min(sizes) < 1:
        what = "a network needs its layers, two or more, and its alt"
        form = ", ".join(option.form for option in OPTIONS.values())
        raise Unproved([page.problem(reference.line, what, form, written or "none", "add them")])
    return picture(sizes, alt)


def picture(sizes: list[int], alt: str) -> list[str]:
    """The lines of an SVG with a column of circles for each of `sizes`."""
    height, width = max(sizes) * _APART, (len(sizes) - 1) * _BETWEEN + 4 * _RADIUS
    columns = [
        [
            (2 * _RADIUS + at * _BETWEEN, height / 2 + (i - (size - 1) / 2) * _APART)
            for i in range(size)
        ]
        for at, size in enumerate(sizes)
    ]
    lines = [
        f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}"/>'
        for left, right in pairwise(columns)
        for x, y in left
        for to_x, to_y in right
    ]
    circles = [
        f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}"/>' for each in columns for x, y in each
    ]
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return [
        f'<svg class="network" role="img" aria-label="{escape(alt)}" {size}>',
        f'<g stroke="currentColor" stroke-opacity=".35">{"".join(lines)}</g>',
        f'<g fill="var(--md-accent-fg-color)">{"".join(circles)}</g>',
        "</svg>",
    ]


DIRECTIVES = [Directive("network", _expand, OPTIONS, site_only=True)]
