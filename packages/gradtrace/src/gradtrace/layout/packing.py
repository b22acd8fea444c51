"""Places graphs that have nothing in common beside one another, as many as fit, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradtrace.layout.layered import MARGIN, Layout, Line, Point, lay_out

COLUMN = 686
"""Width of the page's column; what is wider scrolls."""
BESIDE = 12
"""Space between two graphs, besides the margins they have."""


def pack(sizes: Mapping[str, tuple[float, float]], lines: Sequence[Line]) -> Layout:
    """The layout of cards with these widths and heights, each connected part laid out alone.

    Parts stand in the order of their first cards, in rows no wider than the column where possible.
    """
    whole = Layout(0, 0, {}, {}, {})
    x = y = tallest = 0.0
    for part in _parts(sizes, lines):
        inside = [line for line in lines if line.above in part]
        layout = lay_out({card: sizes[card] for card in part}, inside)
        if x and x + layout.width > COLUMN:
            x, y, tallest = 0.0, y + tallest + BESIDE, 0.0
        whole = _with(whole, _moved(layout, x, y))
        x, tallest = x + layout.width - MARGIN + BESIDE, max(tallest, layout.height)
    return whole


def _parts(cards: Mapping[str, object], lines: Sequence[Line]) -> list[list[str]]:
    """The cards that lines connect, together, each group and each card in the order given."""
    group = {card: [card] for card in cards}
    for line in lines:
        one, other = group[line.above], group[line.below]
        if one is not other:
            one.extend(other)
            group.update(dict.fromkeys(other, one))
    place = {card: index for index, card in enumerate(cards)}
    found = {id(part): sorted(part, key=place.__getitem__) for part in group.values()}
    return list(found.values())


def _moved(layout: Layout, x: float, y: float) -> Layout:
    def move(point: Point) -> Point:
        return point[0] + x, point[1] + y

    return replace(
        layout,
        width=layout.width + x,
        height=layout.height + y,
        places={key: move(point) for key, point in layout.places.items()},
        routes={key: tuple(map(move, points)) for key, points in layout.routes.items()},
        labels={key: move(point) for key, point in layout.labels.items()},
    )


def _with(one: Layout, other: Layout) -> Layout:
    return Layout(
        max(one.width, other.width),
        max(one.height, other.height),
        {**one.places, **other.places},
        {**one.routes, **other.routes},
        {**one.labels, **other.labels},
    )
