"""A layered layout (Sugiyama): boxes in layers from top to bottom, edges that pass between them.

Each box is below all that it depends on; a box that nothing leads to is just above its use. An edge
over several layers gets a dummy in each layer between, and the order within the layers is chosen so
that few edges cross. An edge leaves a box straight down, bends only in the free strip between
two layers and enters straight, so that it cannot pass through a box. The same graph always gets the
same layout. Lengths are in pixels.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from gradtrace.layout.coordinates import assign_x
from gradtrace.layout.crossings import Layers, initial_order, neighbours_of, reduce_crossings

Point = tuple[float, float]

BEND_HEIGHT = 34
"""Height of the strip between two layers in which edges bend."""
DUMMY_WIDTH = 14
"""Width that an edge takes in a layer that it passes through."""
MARGIN = 6
LABEL_HEIGHT = 20
"""Height of the strip below a layer for the labels of its edges."""
END_LABEL_HEIGHT = 18
"""Height of the strip above a layer for the labels at the ends of edges; they bend in less room."""
LOW_BEND_HEIGHT = 26
LABEL_DISTANCE = 6
"""From an edge to its label."""
PORT_DISTANCE = 18
"""Space between two edges at one side of a box, where they have no labels."""


@dataclass(frozen=True)
class LayoutEdge:
    """An edge from one box down to another; `label_width` is that of the text at its start,
    `end_width` that of the text at its end."""

    key: str
    source: str
    target: str
    label_width: float = 0
    end_width: float = 0


@dataclass(frozen=True)
class Layout:
    """Centres of boxes, the points of edges, and where the labels of edges begin, those at their
    ends too."""

    width: float
    height: float
    centres: Mapping[str, Point]
    routes: Mapping[str, tuple[Point, ...]]
    """Points in pairs: straight down from the first to the second, then a bend to the third."""
    labels: Mapping[str, Point]
    end_labels: Mapping[str, Point]


def layered_layout(sizes: Mapping[str, tuple[float, float]], edges: Sequence[LayoutEdge]) -> Layout:
    """The layout of boxes with these widths and heights. Raises `ValueError` for a cycle."""
    layer_of = _assign_layers(sizes, edges)
    chains, widths = _with_dummies(edges, layer_of, {key: w for key, (w, _) in sizes.items()})
    neighbours = neighbours_of(chains)
    layers = reduce_crossings(initial_order(layer_of, neighbours), neighbours)
    x = assign_x(layers, neighbours, widths)
    return _place(layers, x, sizes, edges, chains)


def needed_width(box: str, edges: Sequence[LayoutEdge]) -> float:
    """How wide a box must be for the labels of the edges below and above it; 0 without any."""
    leaving = [edge for edge in edges if edge.source == box]
    has_label = any(edge.label_width for edge in leaving)
    below = sum(_port_widths(leaving, DUMMY_WIDTH)) if has_label else 0
    widths = sorted(edge.end_width for edge in edges if edge.target == box)
    if not any(widths):
        return below
    # The ports are in the middle of the box, and any of the edges may be the outermost.
    between = sum(_inner_width(width) for width in widths[2:]) + PORT_DISTANCE * (len(widths) > 1)
    return max(below, between + 2 * (widths[-1] + LABEL_DISTANCE))


def _assign_layers(boxes: Iterable[str], edges: Sequence[LayoutEdge]) -> dict[Hashable, int]:
    """The layer of each box: below all that it depends on.

    A box that nothing else depends on, with all that leads to it alone, is moved down to its use.
    """
    above: dict[str, list[str]] = {box: [] for box in boxes}
    below: dict[str, list[str]] = {box: [] for box in above}
    for edge in edges:
        above[edge.target].append(edge.source)
        below[edge.source].append(edge.target)
    try:
        order = list(TopologicalSorter(above).static_order())
    except CycleError as error:
        raise ValueError("the edges of the graph form a cycle") from error
    layer: dict[Hashable, int] = {}
    for box in order:
        layer[box] = max((layer[other] + 1 for other in above[box]), default=0)
    movable: set[str] = set()
    for box in order:
        if all(other in movable and len(below[other]) == 1 for other in above[box]):
            movable.add(box)
    for box in reversed(order):
        if box in movable and below[box]:
            layer[box] = min(layer[other] for other in below[box]) - 1
    return layer


def _with_dummies(
    edges: Sequence[LayoutEdge], layer_of: dict[Hashable, int], widths: dict[Hashable, float]
) -> tuple[dict[str, list[Hashable]], dict[Hashable, float]]:
    """For each edge the chain of a box, a dummy in each layer between, and a box; the widths of
    boxes and dummies. The layers of dummies are added to `layer_of`."""
    chains, widths = {}, dict(widths)
    for edge in edges:
        between = range(layer_of[edge.source] + 1, layer_of[edge.target])
        dummies = [(edge.key, layer) for layer in between]
        chains[edge.key] = [edge.source, *dummies, edge.target]
        layer_of.update({dummy: dummy[1] for dummy in dummies})
        widths.update(dict.fromkeys(dummies, DUMMY_WIDTH))
    return chains, widths


def _place(
    layers: Layers,
    x: Mapping[Hashable, float],
    sizes: Mapping[str, tuple[float, float]],
    edges: Sequence[LayoutEdge],
    chains: Mapping[str, list[Hashable]],
) -> Layout:
    """The layout of ordered layers: heights, and the points of every edge."""
    tops, bottoms, tallest = [], [], []
    labelled = {edge.source for edge in edges if edge.label_width}
    end_labelled = {edge.target for edge in edges if edge.end_width}
    upper, y = [], float(MARGIN)
    """Where edges have ended to bend, above the labels at their ends."""
    for layer in layers:
        if has_labels := any(m in end_labelled for m in layer):
            y -= BEND_HEIGHT - LOW_BEND_HEIGHT
        upper.append(y)
        y += END_LABEL_HEIGHT * has_labels
        tops.append(y)
        tallest.append(max((sizes[m][1] for m in layer if m in sizes), default=0))
        y += tallest[-1]
        bottoms.append(y + (LABEL_HEIGHT if any(m in labelled for m in layer) else 0))
        y = bottoms[-1] + BEND_HEIGHT
    height = bottoms[-1] + MARGIN if layers else 0
    left = min((x[key] - w / 2 for key, (w, _) in sizes.items()), default=0)
    dummies = (m for layer in layers for m in layer if m not in sizes)
    left = min([left, *(x[dummy] - DUMMY_WIDTH / 2 for dummy in dummies)])
    middle = {m: place - left + MARGIN for m, place in x.items()}
    layer_of = {member: index for index, layer in enumerate(layers) for member in layer}
    centres = {
        key: (middle[key], tops[layer_of[key]] + tallest[layer_of[key]] / 2) for key in sizes
    }
    leaving, entering = _ports(edges, chains, middle, sizes)
    routes, labels, end_labels = {}, {}, {}
    for edge in edges:
        points = []
        for member in chains[edge.key]:
            layer = layer_of[member]
            if member == edge.source:
                port, bottom = leaving[edge.key], centres[member][1] + sizes[member][1] / 2
                points += [(port, bottom), (port, bottoms[layer])]
                labels[edge.key] = (port + LABEL_DISTANCE, bottom + LABEL_HEIGHT - 5)
            elif member == edge.target:
                top = centres[member][1] - sizes[member][1] / 2
                port, is_left = entering[edge.key]
                points += [(port, upper[layer]), (port, top)]
                left = port - LABEL_DISTANCE - edge.end_width
                end_labels[edge.key] = (left if is_left else port + LABEL_DISTANCE, top - 6)
            else:
                points += [(middle[member], upper[layer]), (middle[member], bottoms[layer])]
        routes[edge.key] = tuple(points)
    right = max((middle[key] + w / 2 for key, (w, _) in sizes.items()), default=0)
    right = max([right, *(px for points in routes.values() for px, _ in points)])
    return Layout(right + MARGIN, height, centres, routes, labels, end_labels)


def _ports(
    edges: Sequence[LayoutEdge],
    chains: Mapping[str, list[Hashable]],
    middle: Mapping[Hashable, float],
    sizes: Mapping[str, tuple[float, float]],
) -> tuple[dict[str, float], dict[str, tuple[float, bool]]]:
    """Where edges leave and enter a box: side by side, in the order of their other ends. Where one
    enters also whether its label is to the left of it, as that of the first of several is."""
    leaving: dict[str, float] = {}
    entering: dict[str, tuple[float, bool]] = {}
    for box in sizes:
        down = [edge for edge in edges if edge.source == box]
        down.sort(key=lambda edge: (middle[chains[edge.key][1]], edge.key))
        widths = _port_widths(down, sizes[box][0])
        gap = widths[-1] - down[-1].label_width if down else 0
        port = middle[box] - (sum(widths) - gap) / 2
        for edge, width in zip(down, widths, strict=True):
            leaving[edge.key] = port
            port += width
        up = [edge for edge in edges if edge.target == box]
        up.sort(key=lambda edge: (middle[chains[edge.key][-2]], edge.key))
        widths = _end_port_widths(up, sizes[box][0])
        port = middle[box] - sum(widths) / 2
        for index, (edge, width) in enumerate(zip(up, (*widths, 0), strict=False)):
            entering[edge.key] = port, index == 0 and len(up) > 1
            port += width
    return leaving, entering


def _port_widths(leaving: Sequence[LayoutEdge], box_width: float) -> list[float]:
    """The room of each edge that leaves a box: more with a label, less where there are many."""
    if any(edge.label_width for edge in leaving):
        return [edge.label_width + PORT_DISTANCE for edge in leaving]
    return [_port_distance(box_width, len(leaving))] * len(leaving)


def _end_port_widths(entering: Sequence[LayoutEdge], box_width: float) -> list[float]:
    """The room between edges that enter a box: of labels at their ends, those are there which are
    neither at the first nor at the last."""
    if any(edge.end_width for edge in entering):
        between = [_inner_width(edge.end_width) for edge in entering[1:-1]]
        return [PORT_DISTANCE, *between] if len(entering) > 1 else []
    return [_port_distance(box_width, len(entering))] * (len(entering) - 1)


def _inner_width(label: float) -> float:
    """The room from an edge to the next one, with the label between them."""
    return max(PORT_DISTANCE, label + 2 * LABEL_DISTANCE)


def _port_distance(box_width: float, count: int) -> float:
    """The space between edges without labels: less where there are many."""
    return min(PORT_DISTANCE, (box_width - DUMMY_WIDTH) / max(1, count - 1))
