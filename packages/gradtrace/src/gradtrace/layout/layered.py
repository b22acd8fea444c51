"""Places the cards of a graph in rows, top to bottom, and draws lines that pass between them.

A layered layout: each card stands below everything it depends on, a card nothing leads to stands
just above what uses it, a line that skips rows gets a place of its own in each, and the order
within the rows is chosen so that few lines cross. A line leaves a card straight down, bends
only in the free strip between two rows, and enters straight: it cannot pass through a card.
The same graph always gives the same picture.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from gradtrace.layout.crossings import Near, Rows, first_order, neighbours, ordered

Point = tuple[float, float]

GAP = 22
"""Free space between two cards of a row."""
BEND = 34
"""Height of the strip between two rows in which lines bend."""
LANE = 14
"""Width of the place that a line passing through a row takes."""
MARGIN = 6
LABEL = 20
"""Height of the strip below a row in which labels stand beside their lines."""
PORT = 18
"""Space between two lines at one side of a card, where they have no labels."""


@dataclass(frozen=True)
class Line:
    """A line from one card down to another; `label`: the width of what is written at its start."""

    key: str
    above: str
    below: str
    label: float = 0


@dataclass(frozen=True)
class Layout:
    """Middles of cards; for each line the heights at which it bends, and where its label begins."""

    width: float
    height: float
    places: Mapping[str, Point]
    routes: Mapping[str, tuple[Point, ...]]
    """Points in pairs: straight down from the first to the second, then a bend to the third."""
    labels: Mapping[str, Point]


def lay_out(sizes: Mapping[str, tuple[float, float]], lines: Sequence[Line]) -> Layout:
    """The layout of cards with these widths and heights. Raises `ValueError` for a circle."""
    row_of = _rows(sizes, lines)
    chains, widths = _chains(lines, row_of, {key: w for key, (w, _) in sizes.items()})
    near = neighbours(chains)
    rows = ordered(first_order(row_of, chains, near), near)
    x = _across(rows, near, widths)
    return _measure(rows, x, sizes, lines, chains)


def needed_width(card: str, lines: Sequence[Line]) -> float:
    """How wide a card must be for the lines and labels below it."""
    down = [line for line in lines if line.above == card]
    return sum(_room(down, LANE)) if any(line.label for line in down) else 0


def _room(down: Sequence[Line], width: float) -> list[float]:
    """The room of each line that leaves a card: more with a label, less where there are many."""
    if any(line.label for line in down):
        return [line.label + PORT for line in down]
    return [_step(width, len(down))] * len(down)


def _rows(cards: Iterable[str], lines: Sequence[Line]) -> dict[Hashable, int]:
    """The row of each card: below all it depends on; low down, if that is its own."""
    above: dict[str, list[str]] = {card: [] for card in cards}
    below: dict[str, list[str]] = {card: [] for card in above}
    for line in lines:
        above[line.below].append(line.above)
        below[line.above].append(line.below)
    try:
        order = list(TopologicalSorter(above).static_order())
    except CycleError as error:
        raise ValueError("the lines of the graph form a circle") from error
    row: dict[Hashable, int] = {}
    for card in order:
        row[card] = max((row[other] + 1 for other in above[card]), default=0)
    aside: set[str] = set()  # what nothing else depends on goes down together with its use
    for card in order:
        if all(other in aside and len(below[other]) == 1 for other in above[card]):
            aside.add(card)
    for card in reversed(order):
        if card in aside and below[card]:
            row[card] = min(row[other] for other in below[card]) - 1
    return row


def _chains(
    lines: Sequence[Line], row_of: dict[Hashable, int], widths: dict[Hashable, float]
) -> tuple[dict[str, list[Hashable]], dict[Hashable, float]]:
    """Each line as what it passes: a card, a place in every row between, a card."""
    chains, widths = {}, dict(widths)
    for line in lines:
        between = [(line.key, row) for row in range(row_of[line.above] + 1, row_of[line.below])]
        chains[line.key] = [line.above, *between, line.below]
        row_of.update({place: place[1] for place in between})
        widths.update(dict.fromkeys(between, LANE))
    return chains, widths


def _across(rows: Rows, near: Near, widths: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """Where each member of a row stands: near what it is linked to, in order, never overlapping."""
    x: dict[Hashable, float] = {}
    holds = {member: _hold(member, near) for row in rows for member in row}
    for row in rows:
        x.update(_spread(row, {member: 0.0 for member in row}, holds, widths))
    for turn in range(60):
        for row in rows if turn % 2 else reversed(rows):
            wish = {member: _wish(member, x, near) for member in row}
            x.update(_spread(row, wish, holds, widths))
    return x


def _wish(member: Hashable, x: Mapping[Hashable, float], near: Near) -> float:
    """The middle of what it is linked to; a long line is drawn towards being straight."""
    total = weight = 0.0
    for other in (*near.above.get(member, []), *near.below.get(member, [])):
        share = 3.0 if isinstance(member, tuple) and isinstance(other, tuple) else 1.0
        share *= _hold(other, near)
        total, weight = total + share * x[other], weight + share
    return total / weight if weight else x[member]


def _hold(member: Hashable, near: Near) -> float:
    """How much a member's place counts: a leaf steps aside, so that a long chain stays straight."""
    return 1.0 if near.above.get(member) else 0.05


def _spread(
    row: Sequence[Hashable],
    wish: Mapping[Hashable, float],
    holds: Mapping[Hashable, float],
    widths: Mapping[Hashable, float],
) -> dict[Hashable, float]:
    """The places nearest to the wishes that keep the order and the gaps.

    Measured from its distance to the start of a tightly packed row, no member may lie left of
    the one before: where wishes conflict, neighbours share their mean.
    """
    packed, at = [], 0.0
    for before, member in zip([None, *row], row, strict=False):
        if before is not None:
            at += (widths[before] + widths[member]) / 2 + GAP
        packed.append(at)
    groups: list[tuple[float, float, int]] = []  # mean, weight and number of members
    for member, start in zip(row, packed, strict=True):
        groups.append((wish[member] - start, holds[member], 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (a, n, some), (b, m, others) = groups[-2], groups.pop()
            groups[-1] = ((a * n + b * m) / (n + m), n + m, some + others)
    shifts = [mean for mean, _, count in groups for _ in range(count)]
    return {m: start + shift for m, start, shift in zip(row, packed, shifts, strict=True)}


def _measure(
    rows: Rows,
    x: Mapping[Hashable, float],
    sizes: Mapping[str, tuple[float, float]],
    lines: Sequence[Line],
    chains: Mapping[str, list[Hashable]],
) -> Layout:
    """Heights, and the points of every line."""
    tops, bottoms, tallest = [], [], []
    labelled = {line.above for line in lines if line.label}
    y = float(MARGIN)
    for row in rows:
        tops.append(y)
        tallest.append(max((sizes[m][1] for m in row if m in sizes), default=0))
        y += tallest[-1]
        bottoms.append(y + (LABEL if any(m in labelled for m in row) else 0))
        y = bottoms[-1] + BEND
    height = bottoms[-1] + MARGIN if rows else 0
    left = min((x[key] - w / 2 for key, (w, _) in sizes.items()), default=0)
    left = min([left, *(x[m] - LANE / 2 for row in rows for m in row if m not in sizes)])
    middle = {m: place - left + MARGIN for m, place in x.items()}
    row_of = {member: index for index, row in enumerate(rows) for member in row}
    places = {key: (middle[key], tops[row_of[key]] + tallest[row_of[key]] / 2) for key in sizes}
    leaves, enters = _ports(lines, chains, middle, sizes)
    routes, labels = {}, {}
    for line in lines:
        points = []
        for member in chains[line.key]:
            row = row_of[member]
            if member == line.above:
                at, bottom = leaves[line.key], places[member][1] + sizes[member][1] / 2
                points += [(at, bottom), (at, bottoms[row])]
                labels[line.key] = (at + 5, bottom + LABEL - 5)
            elif member == line.below:
                top = places[member][1] - sizes[member][1] / 2
                points += [(enters[line.key], tops[row]), (enters[line.key], top)]
            else:
                points += [(middle[member], tops[row]), (middle[member], bottoms[row])]
        routes[line.key] = tuple(points)
    right = max((middle[key] + w / 2 for key, (w, _) in sizes.items()), default=0)
    right = max([right, *(at for points in routes.values() for at, _ in points)])
    return Layout(right + MARGIN, height, places, routes, labels)


def _ports(
    lines: Sequence[Line],
    chains: Mapping[str, list[Hashable]],
    middle: Mapping[Hashable, float],
    sizes: Mapping[str, tuple[float, float]],
) -> tuple[dict[str, float], dict[str, float]]:
    """Where lines leave and enter a card: side by side, in the order of where they come from."""
    leaves: dict[str, float] = {}
    enters: dict[str, float] = {}
    for card in sizes:
        down = [line for line in lines if line.above == card]
        down.sort(key=lambda line: (middle[chains[line.key][1]], line.key))
        room = _room(down, sizes[card][0])
        gap = room[-1] - down[-1].label if down else 0
        at = middle[card] - (sum(room) - gap) / 2
        for line, width in zip(down, room, strict=True):
            leaves[line.key] = at
            at += width
        up = [line for line in lines if line.below == card]
        up.sort(key=lambda line: (middle[chains[line.key][-2]], line.key))
        step = _step(sizes[card][0], len(up))
        for index, line in enumerate(up):
            enters[line.key] = middle[card] + (index - (len(up) - 1) / 2) * step
    return leaves, enters


def _step(width: float, count: int) -> float:
    """The space between lines without labels: less where there are many."""
    return min(PORT, (width - LANE) / max(1, count - 1))
