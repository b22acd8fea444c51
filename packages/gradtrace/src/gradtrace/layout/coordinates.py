"""Horizontal coordinates: each member of a layer near its neighbours, none overlapping."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from gradtrace.layout.crossings import Layers, Neighbours

GAP = 22
"""Free space between two boxes of a layer, in pixels."""
_SWEEPS = 60
_LEAF_WEIGHT = 0.02
"""How little a box without predecessors counts, and the only one that is made of it, as the
transpose of a weight: they give way, so that a long chain is straight."""
_DUMMY_WEIGHT = 3.0
"""How much the link between two dummies of an edge counts: a long edge is drawn straight."""


def assign_x(
    layers: Layers, neighbours: Neighbours, widths: Mapping[Hashable, float]
) -> dict[Hashable, float]:
    """The middle of each member; sweeps down and up move it towards the mean of its neighbours."""
    x: dict[Hashable, float] = {}
    weights = {member: _weight(member, neighbours) for layer in layers for member in layer}
    shares = {member: _shares(member, neighbours, weights) for member in weights}
    packed = [_packed(layer, widths) for layer in layers]
    rows = list(zip(layers, packed, strict=True))
    for layer, starts in rows:
        x.update(_without_overlap(layer, {member: 0.0 for member in layer}, weights, starts))
    for sweep in range(_SWEEPS):
        for layer, starts in rows if sweep % 2 else reversed(rows):
            wanted = {member: _mean_of_neighbours(member, x, shares[member]) for member in layer}
            x.update(_without_overlap(layer, wanted, weights, starts))
    return x


def _shares(
    member: Hashable, neighbours: Neighbours, weights: Mapping[Hashable, float]
) -> list[tuple[Hashable, float]]:
    """The neighbours of a member, with how much each of them counts."""
    found = []
    for other in (*neighbours.above.get(member, []), *neighbours.below.get(member, [])):
        between_dummies = isinstance(member, tuple) and isinstance(other, tuple)
        found.append((other, (_DUMMY_WEIGHT if between_dummies else 1.0) * weights[other]))
    return found


def _mean_of_neighbours(
    member: Hashable, x: Mapping[Hashable, float], shares: Sequence[tuple[Hashable, float]]
) -> float:
    """The weighted mean of the positions of the neighbours; its own, where it has none."""
    total = weight = 0.0
    for other, share in shares:
        total, weight = total + share * x[other], weight + share
    return total / weight if weight else x[member]


def _weight(member: Hashable, neighbours: Neighbours) -> float:
    above = neighbours.above.get(member, [])
    if len(above) == 1 and len(neighbours.below[above[0]]) == 1:
        above = neighbours.above.get(above[0], [])
    return 1.0 if above else _LEAF_WEIGHT


def _packed(layer: Sequence[Hashable], widths: Mapping[Hashable, float]) -> list[float]:
    """The positions in a tightly packed layer."""
    packed, at = [], 0.0
    for before, member in zip([None, *layer], layer, strict=False):
        if before is not None:
            at += (widths[before] + widths[member]) / 2 + GAP
        packed.append(at)
    return packed


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
