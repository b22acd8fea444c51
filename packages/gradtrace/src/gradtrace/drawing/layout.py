"""Where the boxes and edges of a graph are drawn: a layered layout with few crossings."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, chain, pairwise

Layers = list[list[Hashable]]
"""The members of each layer, from left to right: boxes, and dummies of edges that pass through."""

_ORDER_SWEEPS = 16


class Neighbours:
    """The linked members of each member in the layers above and below. `chains` lead from an upper
    box to a lower one."""

    def __init__(self, chains: Iterable[list[Hashable]]) -> None:
        self.above: dict[Hashable, list[Hashable]] = {}
        self.below: dict[Hashable, list[Hashable]] = {}
        for upper, lower in chain.from_iterable(map(pairwise, chains)):
            self.below.setdefault(upper, []).append(lower)
            self.above.setdefault(lower, []).append(upper)


def initial_order(layer_of: Mapping[Hashable, int], neighbours: Neighbours) -> Layers:
    """The layers, each in depth-first order, so that linked members start out close together."""
    layers: Layers = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    seen: set[Hashable] = set()
    for start in layer_of:
        waiting = [start]
        while waiting:
            member = waiting.pop()
            if member in seen:
                continue
            seen.add(member)
            layers[layer_of[member]].append(member)
            waiting += reversed(neighbours.below.get(member, []))
            waiting += reversed(neighbours.above.get(member, []))
    return layers


def reduce_crossings(layers: Layers, neighbours: Neighbours) -> Layers:
    """The order with the fewest crossings that sweeps find.

    Each sweep sorts the layers by the barycentres of the neighbours, downwards and upwards in turn,
    then swaps adjacent members (Sugiyama, Tagawa and Toda, 1981). `layers` is changed.
    """
    best, fewest = [list(layer) for layer in layers], _crossings(layers, neighbours)
    for sweep in range(_ORDER_SWEEPS):
        down = sweep % 2 == 0
        for index in range(1, len(layers)) if down else range(len(layers) - 2, -1, -1):
            fixed = layers[index - 1 if down else index + 1]
            links = neighbours.above if down else neighbours.below
            _sort_by_barycentre(layers[index], fixed, links)
        _swap_adjacent(layers, neighbours)
        if (count := _crossings(layers, neighbours)) < fewest:
            best, fewest = [list(layer) for layer in layers], count
    return best


def _sort_by_barycentre(
    layer: list[Hashable], fixed: Sequence[Hashable], links: Mapping[Hashable, list[Hashable]]
) -> None:
    """Sort a layer in place by the mean position of its neighbours in the fixed layer."""
    fixed_at = {member: place for place, member in enumerate(fixed)}
    now = {member: place for place, member in enumerate(layer)}
    places = {m: [fixed_at[n] for n in links.get(m, ())] or [now[m]] for m in layer}
    layer.sort(key=lambda m: (sum(places[m]) / len(places[m]), now[m]))


def _swap_adjacent(layers: Layers, neighbours: Neighbours) -> None:
    """Swap adjacent members of a layer wherever that leaves fewer crossings."""
    for index, layer in enumerate(layers):
        above = _ends(layers[index - 1] if index else [], layer, neighbours.above)
        below = _ends(layers[index + 1] if index + 1 < len(layers) else [], layer, neighbours.below)
        for place in range(len(layer) - 1):
            left, right = layer[place], layer[place + 1]
            saved = sum(
                (one > other) - (one < other)
                for ends in (above, below)
                for one in ends[left]
                for other in ends[right]
            )
            if saved > 0:
                layer[place], layer[place + 1] = right, left


def _ends(
    fixed: Sequence[Hashable], layer: Sequence[Hashable], links: Mapping[Hashable, list[Hashable]]
) -> dict[Hashable, list[int]]:
    """For each member of a layer the places of its links in the fixed layer."""
    at = {member: place for place, member in enumerate(fixed)}
    return {member: [at[other] for other in links.get(member, ())] for member in layer}


def _crossings(layers: Layers, neighbours: Neighbours) -> int:
    """How many pairs of links cross: each with those before it that end further to the right."""
    count = 0
    for upper, lower in pairwise(layers):
        ends = _ends(lower, upper, neighbours.below)
        before: list[int] = []
        for one in upper:
            count += sum(len(before) - bisect_right(before, end) for end in ends[one])
            for end in ends[one]:
                insort(before, end)
    return count


GAP = 22
"""Free space between two boxes of a layer, in pixels."""
_POSITION_SWEEPS = 60
_LEAF_WEIGHT = 0.02
"""The small weight of a box without predecessors, and of the only box made from it, such as the
transpose of a weight: they give way, so that a long chain is straight."""
_DUMMY_WEIGHT = 3.0
"""The weight of a link between two dummies of an edge: a long edge is drawn straight."""


def assign_x(
    layers: Layers, neighbours: Neighbours, widths: Mapping[Hashable, float]
) -> dict[Hashable, float]:
    """The centre of each member; sweeps down and up move it towards the mean of its neighbours."""
    x: dict[Hashable, float] = {}
    weights = {member: _weight(member, neighbours) for layer in layers for member in layer}
    shares = {member: _shares(member, neighbours, weights) for member in weights}
    rows = []
    """The layers, each with the positions of its members if it is tightly packed."""
    for layer in layers:
        steps = ((widths[one] + widths[other]) / 2 + GAP for one, other in pairwise(layer))
        rows.append((layer, list(accumulate(steps, initial=0.0))[: len(layer)]))
    for layer, starts in rows:
        x.update(_without_overlap(layer, {member: 0.0 for member in layer}, weights, starts))
    for sweep in range(_POSITION_SWEEPS):
        for layer, starts in rows if sweep % 2 else reversed(rows):
            wanted = {}
            for member in layer:  # the weighted mean of its neighbours; its own place without any
                total = weight = 0.0
                for other, share in shares[member]:
                    total, weight = total + share * x[other], weight + share
                wanted[member] = total / weight if weight else x[member]
            x.update(_without_overlap(layer, wanted, weights, starts))
    return x


def _shares(
    member: Hashable, neighbours: Neighbours, weights: Mapping[Hashable, float]
) -> list[tuple[Hashable, float]]:
    """The neighbours of a member, with the weight of each of them."""
    found = []
    for other in (*neighbours.above.get(member, []), *neighbours.below.get(member, [])):
        between_dummies = isinstance(member, tuple) and isinstance(other, tuple)
        found.append((other, (_DUMMY_WEIGHT if between_dummies else 1.0) * weights[other]))
    return found


def _weight(member: Hashable, neighbours: Neighbours) -> float:
    above = neighbours.above.get(member, [])
    if len(above) == 1 and len(neighbours.below[above[0]]) == 1:
        above = neighbours.above.get(above[0], [])
    return 1.0 if above else _LEAF_WEIGHT


def _without_overlap(
    layer: Sequence[Hashable],
    wanted: Mapping[Hashable, float],
    weights: Mapping[Hashable, float],
    packed: Sequence[float],
) -> dict[Hashable, float]:
    """The positions nearest to the wanted ones (weighted least squares) that keep order and gaps.

    Measured from the positions in a tightly packed layer, no member may be left of the one before:
    an isotonic regression, solved by pooling adjacent violators.
    """
    groups: list[tuple[float, float, int]] = []  # mean, weight and number of members
    for member, start in zip(layer, packed, strict=True):
        groups.append((wanted[member] - start, weights[member], 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (a, n, some), (b, m, others) = groups[-2], groups.pop()
            groups[-1] = ((a * n + b * m) / (n + m), n + m, some + others)
    shifts = [mean for mean, _, count in groups for _ in range(count)]
    return {m: start + shift for m, start, shift in zip(layer, packed, shifts, strict=True)}


Point = tuple[float, float]

BEND_HEIGHT = 30
"""Height of the strip between two layers in which edges bend."""
DUMMY_WIDTH = 14
"""Width that an edge takes in a layer that it passes through."""
MARGIN = 6
LABEL_HEIGHT = 20
"""Height of the strip below a layer for the labels of its edges."""
END_LABEL_HEIGHT = 18
"""Height of the strip above a layer for the labels at the ends of edges; they bend in less room."""
LOW_BEND_HEIGHT = 22
LABEL_DISTANCE = 6
"""From an edge to its label."""
LABEL_RISE = 7
"""From an edge that goes across up to its label."""
FLAT_BEND = 12
"""What is left for bends beside a label."""
PORT_DISTANCE = 18
"""Space between two edges at one side of a box, where they have no labels."""


@dataclass(frozen=True)
class LayoutEdge:
    """An edge from one box down to another; `label_width` is the width of the text at its start,
    `end_width` of the text at its end."""

    key: str
    source: str
    target: str
    label_width: float = 0
    end_width: float = 0


@dataclass(frozen=True)
class Layout:
    """Centres of boxes, the points of edges, and where the labels of edges begin, at both ends."""

    width: float
    height: float
    centres: Mapping[str, Point]
    routes: Mapping[str, tuple[Point, ...]]
    """Points in pairs: straight down from the first to the second, then a bend to the third."""
    labels: Mapping[str, Point]
    end_labels: Mapping[str, Point]


def layered_layout(
    sizes: Mapping[str, tuple[float, float]], edges: Sequence[LayoutEdge], across: bool = False
) -> Layout:
    """The layout of boxes with these widths and heights. `across`: from left to right, not down; it
    is found as the other one, of boxes that lie on their sides. Raises `ValueError` for a cycle."""
    if across:
        sizes = {key: (height, width) for key, (width, height) in sizes.items()}
    layer_of = _assign_layers(sizes, edges)
    chains, widths = _with_dummies(edges, layer_of, {key: w for key, (w, _) in sizes.items()})
    neighbours = Neighbours(chains.values())
    layers = reduce_crossings(initial_order(layer_of, neighbours), neighbours)
    x = assign_x(layers, neighbours, widths)
    layout = _place(layers, x, sizes, edges, chains, across)
    return turn(layout) if across else layout


def turn(layout: Layout) -> Layout:
    """The layout with both directions exchanged."""
    places = (layout.centres, layout.labels, layout.end_labels)
    centres, labels, ends = ({key: (y, x) for key, (x, y) in each.items()} for each in places)
    routes = {key: tuple((y, x) for x, y in points) for key, points in layout.routes.items()}
    return Layout(layout.height, layout.width, centres, routes, labels, ends)


def needed_width(box: str, edges: Sequence[LayoutEdge]) -> float:
    """The width that a box needs for the labels of the edges below and above it; 0 without any."""
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
    """The layer of each box: below all its predecessors.

    A box that nothing else depends on is moved down to its use, with all that leads only to it.
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
    across: bool,
) -> Layout:
    """The layout of ordered layers: heights, and the points of every edge."""
    tops, bottoms, tallest = [], [], []
    starts, ends = _label_rooms(edges, across)
    upper, y = [], float(MARGIN)
    """Where edges stop bending, above the labels at their ends."""
    for layer in layers:
        room = max((ends.get(m, 0) for m in layer), default=0)
        if upper:
            y += LOW_BEND_HEIGHT if room and not across else BEND_HEIGHT
        if across and room:  # a label is above its line, and may reach to where this bends
            y -= min(room, BEND_HEIGHT - FLAT_BEND)
        upper.append(y)
        y += room
        tops.append(y)
        tallest.append(max((sizes[m][1] for m in layer if m in sizes), default=0))
        y += tallest[-1]
        bottoms.append(y + max((starts.get(m, 0) for m in layer), default=0))
        y = bottoms[-1]
    height = bottoms[-1] + MARGIN if layers else 0
    left = min((x[key] - w / 2 for key, (w, _) in sizes.items()), default=0)
    dummies = (m for layer in layers for m in layer if m not in sizes)
    left = min([left, *(x[dummy] - DUMMY_WIDTH / 2 for dummy in dummies)])
    middle = {m: place - left + MARGIN for m, place in x.items()}
    layer_of = {member: index for index, layer in enumerate(layers) for member in layer}
    centres = {
        key: (middle[key], tops[layer_of[key]] + tallest[layer_of[key]] / 2) for key in sizes
    }
    leaving, entering = _ports(edges, chains, middle, sizes, across)
    routes, labels, end_labels = {}, {}, {}
    for edge in edges:
        points = []
        for member in chains[edge.key]:
            layer = layer_of[member]
            if member == edge.source:
                port, bottom = leaving[edge.key], centres[member][1] + sizes[member][1] / 2
                points += [(port, bottom), (port, bottoms[layer])]
                labels[edge.key] = (port + LABEL_DISTANCE, bottom + LABEL_HEIGHT - 5)
                if across:
                    labels[edge.key] = (port - LABEL_RISE, bottom + LABEL_DISTANCE)
            elif member == edge.target:
                top = centres[member][1] - sizes[member][1] / 2
                port, is_left = entering[edge.key]
                points += [(port, upper[layer]), (port, top)]
                left = port - LABEL_DISTANCE - edge.end_width
                end_labels[edge.key] = (left if is_left else port + LABEL_DISTANCE, top - 6)
                if across:
                    start = top - LABEL_DISTANCE - edge.end_width
                    end_labels[edge.key] = (port - LABEL_RISE, start)
            else:
                points += [(middle[member], upper[layer]), (middle[member], bottoms[layer])]
        routes[edge.key] = tuple(points)
    right = max((middle[key] + w / 2 for key, (w, _) in sizes.items()), default=0)
    right = max([right, *(px for points in routes.values() for px, _ in points)])
    return Layout(right + MARGIN, height, centres, routes, labels, end_labels)


def _label_rooms(
    edges: Sequence[LayoutEdge], across: bool
) -> tuple[dict[str, float], dict[str, float]]:
    """The room below each box for the labels of edges that leave it, and above each for those of
    edges that enter it."""
    starts: dict[str, float] = {}
    ends: dict[str, float] = {}
    for edge in edges:
        if edge.label_width:
            room = edge.label_width + LABEL_DISTANCE if across else LABEL_HEIGHT
            starts[edge.source] = max(starts.get(edge.source, 0), room)
        if edge.end_width:
            room = edge.end_width + LABEL_DISTANCE if across else END_LABEL_HEIGHT
            ends[edge.target] = max(ends.get(edge.target, 0), room)
    return starts, ends


def _ports(
    edges: Sequence[LayoutEdge],
    chains: Mapping[str, list[Hashable]],
    middle: Mapping[Hashable, float],
    sizes: Mapping[str, tuple[float, float]],
    across: bool,
) -> tuple[dict[str, float], dict[str, tuple[float, bool]]]:
    """Where edges leave and enter a box: side by side, in the order of their other ends. For an
    edge that enters also whether its label is on its left, as for the first of several."""
    leaving: dict[str, float] = {}
    entering: dict[str, tuple[float, bool]] = {}
    if across:  # labels are above their edges
        edges = [replace(edge, label_width=0, end_width=0) for edge in edges]
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
    """The room between edges that enter a box, with the labels at their ends, except those of the
    first and the last."""
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


MAX_WIDTH = 686
"""Width of the column of text around a figure, in pixels; what is wider scrolls."""
_COMPONENT_GAP = 12
"""Space between two components, besides the margins they have."""


def packed_layout(
    sizes: Mapping[str, tuple[float, float]], edges: Sequence[LayoutEdge], across: bool = False
) -> Layout:
    """The layout of boxes with these widths and heights, each connected component by itself.

    Components are placed in the order of their first boxes, in rows no wider than `MAX_WIDTH` where
    possible; those that go `across`, one below the other. Raises `ValueError` for a cycle.
    """
    centres, routes, labels, end_labels = {}, {}, {}, {}
    x = y = tallest = width = height = 0.0

    def move(point: Point) -> Point:
        return point[0] + x, point[1] + y

    for component in _components(sizes, edges):
        inner = [edge for edge in edges if edge.source in component]
        layout = layered_layout({box: sizes[box] for box in component}, inner, across)
        if x and (across or x + layout.width > MAX_WIDTH):
            x, y, tallest = 0.0, y + tallest + _COMPONENT_GAP, 0.0
        width, height = max(width, layout.width + x), max(height, layout.height + y)
        centres |= {key: move(point) for key, point in layout.centres.items()}
        routes |= {key: tuple(map(move, points)) for key, points in layout.routes.items()}
        labels |= {key: move(point) for key, point in layout.labels.items()}
        end_labels |= {key: move(point) for key, point in layout.end_labels.items()}
        x, tallest = x + layout.width - MARGIN + _COMPONENT_GAP, max(tallest, layout.height)
    return Layout(width, height, centres, routes, labels, end_labels)


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
