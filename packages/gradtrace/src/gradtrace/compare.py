"""Compares two traces: the one stored in a `.trace` file, and the one of a new run."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from gradtrace.same_numbers import same_but_for_rounding

_WIDTH = 160
"""The number of characters shown of a line, from a little before the first difference."""
_BEFORE = 60
_TABLES = {"t": "tensor", "n": "node", "c": "call"}
_VERSIONS = ('"torch": ', '"python": ')
"""The prefixes of the lines that name the versions under which a trace was recorded."""


class Difference(NamedTuple):
    """The first line in which two texts of traces differ.

    `line` counts from 1; `place` names what is described there ("event 12", "node n3"); `old` and
    `new` are the parts of the two lines around the first different character.
    """

    line: int
    place: str
    old: str
    new: str


def trace_path(script: Path) -> Path:
    """Where the trace of a script is stored: next to it."""
    return script.with_suffix(".trace")


def first_difference(old: str, new: str, dtype: str | None = None) -> Difference | None:
    """The first difference between two texts of traces, or None.

    Only what ran is compared: versions of PyTorch and Python are ignored, since the same script is
    recorded under several. With a `dtype`, "float32" or "float64", rounding of results of that type
    is ignored as well.
    """
    old_lines, new_lines = comparable_lines(old), comparable_lines(new)
    pairs = enumerate(zip_longest(old_lines, new_lines))
    index = next((i for i, (one, other) in pairs if not _same(one, other, dtype)), None)
    if index is None:
        return None
    one, other = ("".join(lines[index : index + 1]) for lines in (old_lines, new_lines))
    return Difference(index + 1, _place(new_lines, index), *_excerpts(one, other))


def _same(old: str | None, new: str | None, dtype: str | None) -> bool:
    if old == new or old is None or new is None or dtype is None:
        return old == new
    return same_but_for_rounding(old, new, dtype)


def comparable_lines(text: str) -> list[str]:
    """The lines of the text of a trace; those with versions are empty."""
    return ["" if line.startswith(_VERSIONS) else line for line in text.splitlines()]


def _place(lines: list[str], index: int) -> str:
    """What the line describes: "event 12", "node n3", "the source"."""
    start = lines.index('"events": [') if '"events": [' in lines else len(lines)
    if index > start:
        return f"event {index - start - 1}"
    name = lines[index].split('"')[1] if index < len(lines) and '"' in lines[index] else ""
    if name[:1] in _TABLES and name[1:].isdigit():
        return f"{_TABLES[name[0]]} {name}"
    return f"the {name}" if name else "its end"


def _excerpts(old: str, new: str) -> tuple[str, str]:
    """The parts of two lines around their first difference."""
    pairs = enumerate(zip(old, new, strict=False))
    differ = next((i for i, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = max(0, differ - _BEFORE)

    def excerpt(line: str) -> str:
        if not line:
            return "(nothing)"
        part = line[start : start + _WIDTH]
        return ("… " if start else "") + part + (" …" if start + _WIDTH < len(line) else "")

    return excerpt(old), excerpt(new)
