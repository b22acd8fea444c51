"""Crossing reduction: orders the members of each layer so that few edges cross."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Layers = list[list[Hashable]]
"""The members of each layer, from left to right: boxes, and dummies of edges that pass through."""

_SWEEPS = 16


@dataclass(frozen=True)
class Neighbours:
    """What each member of a layer is linked to in the layers above and below."""

    above: Mapping[Hashable, list[Hashable]]
    below: Mapping[Hashable, list[Hashable]]


def neighbours_of(chains: Mapping[str, list[Hashable]]) -> Neighbours:
    """The neighbours of all members of chains, which lead from an upper box to a lower one."""
    above: dict[Hashable, list[Hashable]] = {}
    below: dict[Hashable, list[Hashable]] = {}
    for chain in chains.values():
        for upper, lower in pairwise(chain):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    return Neighbours(above, below)


def initial_order(layer_of: Mapping[Hashable, int], neighbours: Neighbours) -> Layers:
    """The layers, each in the order of a depth-first walk: what is linked starts out near."""
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
    for sweep in range(_SWEEPS):
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
    """Sort a layer in place by the mean position of its neighbours in the fixed layer beside it."""
    fixed_at = {member: place for place, member in enumerate(fixed)}
    now = {member: place for place, member in enumerate(layer)}
    barycentre = {m: _mean([fixed_at[n] for n in links.get(m, [])], now[m]) for m in layer}
    layer.sort(key=lambda member: (barycentre[member], now[member]))


def _swap_adjacent(layers: Layers, neighbours: Neighbours) -> None:
    """Exchange adjacent members of a layer wherever that leaves fewer crossings."""
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
    """For each member of a layer the places of what it is linked to in the fixed layer beside."""
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


def _mean(numbers: Sequence[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default
