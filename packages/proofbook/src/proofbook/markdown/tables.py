"""The rows of a table, cut into cells as Python-Markdown does."""

from __future__ import annotations

import re
from itertools import pairwise

_SEPARATOR = re.compile(r" *\|?[ :-]*-[ :-]*(?:\|[ :-]*-[ :-]*)*\|? *$")
_TICKS = re.compile("`+")
_BAR = re.compile(r"\\.|\|")


def begins_table(head: str, below: str) -> bool:
    """Whether a line is the head of a table: the line below it separates as many cells."""
    if "|" not in head or "|" not in below or not _SEPARATOR.match(below):
        return False
    return len(cells_of(head)) == len(cells_of(below))


def cells_of(row: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand; a pipe within code or behind a backslash divides none."""
    bars = [found.start() for found in _BAR.finditer(_without_code(row)) if found[0] == "|"]
    if not bars:
        return [(0, len(row))]
    first = len(row) - len(row.lstrip())
    last = len(row.rstrip()) - 1
    edges = bars if bars[0] == first else [first - 1, *bars]
    edges = edges if edges[-1] == last else [*edges, last + 1]
    return [(left + 1, right) for left, right in pairwise(edges)]


def _without_code(row: str) -> str:
    """The row with the code in it blanked; a run of backticks ends at the next of its length."""
    if "`" not in row:
        return row
    runs = [found.span() for found in _TICKS.finditer(row)]
    following: dict[int, list[int]] = {}
    for start, end in reversed(runs):
        following.setdefault(end - start, []).append(start)
    parts, at = [], 0
    for start, end in runs:
        waiting = following[end - start]
        waiting.pop()
        if start >= at and waiting:
            close = waiting[-1] + end - start
            parts += [row[at:start], "x" * (close - start)]
            at = close
    return "".join([*parts, row[at:]])
