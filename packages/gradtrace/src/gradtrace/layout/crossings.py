"""The order of cards within their rows: of those tried, the one in which the fewest lines cross."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Near:
    """What each member of a row is linked to in the rows above and below."""

    above: Mapping[Hashable, list[Hashable]]
    below: Mapping[Hashable, list[Hashable]]


def neighbours(chains: Mapping[str, list[Hashable]]) -> Near:
    """What stands above and below each member of a chain."""
    above: dict[Hashable, list[Hashable]] = {}
    below: dict[Hashable, list[Hashable]] = {}
    for chain in chains.values():
        for upper, lower in pairwise(chain):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    return Near(above, below)


Rows = list[list[Hashable]]


def first_order(row_of: Mapping[Hashable, int], chains: Mapping, near: Near) -> Rows:
    """The rows as a walk along the lines meets their members: what is linked starts out near."""
    rows: Rows = [[] for _ in range(max(row_of.values(), default=-1) + 1)]
    seen: set[Hashable] = set()
    for start in row_of:
        waiting = [start]
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            rows[row_of[here]].append(here)
            waiting += [*reversed(near.below.get(here, [])), *reversed(near.above.get(here, []))]
    return rows


def ordered(rows: Rows, near: Near) -> Rows:
    """The order within rows with the fewest crossings found by sorting by middles and swapping."""
    best, fewest = [list(row) for row in rows], _crossings(rows, near)
    for sweep in range(16):
        down = sweep % 2 == 0
        for index in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            beside = rows[index - 1 if down else index + 1]
            at = {member: place for place, member in enumerate(beside)}
            links = near.above if down else near.below
            row = rows[index]
            now = {member: place for place, member in enumerate(row)}
            middle = {m: _mean([at[n] for n in links.get(m, [])], now[m]) for m in row}
            row.sort(key=lambda m, middle=middle, now=now: (middle[m], now[m]))
        _swap(rows, near)
        if (count := _crossings(rows, near)) < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def _swap(rows: Rows, near: Near) -> None:
    """Exchange neighbours in a row wherever that leaves fewer crossings."""
    for index, row in enumerate(rows):
        around = rows[max(0, index - 1) : index + 2]
        for place in range(len(row) - 1):
            before = _crossings(around, near)
            row[place], row[place + 1] = row[place + 1], row[place]
            if _crossings(around, near) >= before:
                row[place], row[place + 1] = row[place + 1], row[place]


def _crossings(rows: Rows, near: Near) -> int:
    count = 0
    for upper, lower in pairwise(rows):
        at = {member: place for place, member in enumerate(lower)}
        ends = [(i, at[m]) for i, one in enumerate(upper) for m in near.below.get(one, [])]
        count += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[:i])
    return count


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise
