"""Places the connected components of a graph beside one another, as many as fit, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradtrace.layout.layered import MARGIN, Layout, LayoutEdge, Point, layered_layout

MAX_WIDTH = 686
"""Width of the column of text around a figure, in pixels; what is wider scrolls."""
GAP = 12
"""Space between two components, besides the margins they have."""


def packed_layout(sizes: Mapping[str, tuple[float, float]], edges: Sequence[LayoutEdge]) -> Layout:
    """The layout of boxes with these widths and heights, each connected component by itself.

    Components are placed in the order of their first boxes, in rows no wider than `MAX_WIDTH` where
    possible. Raises `ValueError` for a cycle.
    """
    whole = Layout(0, 0, {}, {}, {}, {})
    x = y = tallest = 0.0
    for component in _components(sizes, edges):
        inner = [edge for edge in edges if edge.source in component]
        layout = layered_layout({box: sizes[box] for box in component}, inner)
        if x and x + layout.width > MAX_WIDTH:
            x, y, tallest = 0.0, y + tallest + GAP, 0.0
        whole = _merged(whole, _moved(layout, x, y))
        x, tallest = x + layout.width - MARGIN + GAP, max(tallest, layout.height)
    return whole


def _components(boxes: Mapping[str, object], edges: Sequence[LayoutEdge]) -> list[list[str]]:
    """The connected components; they and the boxes in them are in the order of `boxes`."""
    group = {box: [box] for box in boxes}
    for edge in edges:
        one, other = group[edge.source], group[edge.target]
        if one is not other:
            one.extend(other)
            group.update(dict.fromkeys(other, one))
    place = {box: index for index, box in enumerate(boxes)}
    found = {id(part): sorted(part, key=place.__getitem__) for part in group.values()}
    return list(found.values())


def _moved(layout: Layout, x: float, y: float) -> Layout:
    def move(point: Point) -> Point:
        return point[0] + x, point[1] + y

    return replace(
        layout,
        width=layout.width + x,
        height=layout.height + y,
        centres={key: move(point) for key, point in layout.centres.items()},
        routes={key: tuple(map(move, points)) for key, points in layout.routes.items()},
        labels={key: move(point) for key, point in layout.labels.items()},
        end_labels={key: move(point) for key, point in layout.end_labels.items()},
    )


def _merged(one: Layout, other: Layout) -> Layout:
    return Layout(
        max(one.width, other.width),
        max(one.height, other.height),
        {**one.centres, **other.centres},
        {**one.routes, **other.routes},
        {**one.labels, **other.labels},
        {**one.end_labels, **other.end_labels},
    )
