"""Compares two traces, or two texts with numbers, rounding apart.

Another processor may add the terms of a sum in another order. Its result is then a last bit away,
and a tensor of which one element is no longer a whole number is printed in another format:
`[3., 15.]` becomes `[ 3.0000, 15.0000]`. The numbers are still the same.

A text is split into the text around its numbers, which must be equal but for the blanks that
align columns, and its numbers, of which each pair must be the same number:

- whole numbers without a point are counts, not results: they must be equal;
- written with the same number of decimals, and with fewer digits than the dtype has, two numbers
  that differ in a digit are different: rounding moves them by much less than that digit;
- otherwise they may be a few units in the last place of their dtype apart. It is float32, or
  float64 where the caller says so.

Units in the last place: D. Goldberg, "What every computer scientist should know about
floating-point arithmetic", ACM Computing Surveys 23 (1991).
"""

from __future__ import annotations

import math
import re
import struct
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

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

    def are_same(one: str | None, other: str | None) -> bool:
        if one == other or one is None or other is None or dtype is None:
            return one == other
        return same_but_for_rounding(one, other, dtype)

    pairs = enumerate(zip_longest(old_lines, new_lines))
    index = next((i for i, pair in pairs if not are_same(*pair)), None)
    if index is None:
        return None
    one, other = ("".join(lines[index : index + 1]) for lines in (old_lines, new_lines))
    return Difference(index + 1, _place(new_lines, index), *_excerpts(one, other))


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


UNITS = 4
"""How many units in the last place two results may differ by rounding alone."""

_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]|\.\w)")
_BLANKS = re.compile(r"[ \t]+")
_ALIGNED = re.compile(r"(?<=[\[(,])\s+(?=-?$)")
"""Blanks between an opening bracket or a comma and a number, and a line broken there."""
_ROW = re.compile(r"(?<=,)\s+(?=\[)")

_BITS = {"float32": 24, "float64": 53}
_TELLING = {"float32": 9, "float64": 17}
"""The number of digits that distinguish any two numbers of the dtype."""


def same_but_for_rounding(one: str, other: str, dtype: str = "float32") -> bool:
    """Whether two texts differ only in the rounding of results and their print format.

    `dtype`: the type of the results that they show, "float32" or "float64".
    """
    if one == other:
        return True
    numbers, others = _NUMBER.findall(one), _NUMBER.findall(other)
    if numbers == others or _around_numbers(one) != _around_numbers(other):
        return False  # no number's format differs, so columns cannot be aligned differently
    return all(same_number(a, b, dtype) for a, b in zip(numbers, others, strict=True))


def same_number(one: str, other: str, dtype: str = "float32") -> bool:
    """Whether two numbers, printed without a sign, are the same result of this dtype."""
    if one == other:
        return True
    if one.isdigit() or other.isdigit():  # a count
        return False
    a, b = float(one), float(other)
    if a == b:
        return True
    fewest, most = sorted((_digits(one), _digits(other)))
    if dtype == "float32" and most > _TELLING[dtype] and not _are_single(a, b):
        return False  # numbers of Python, which every machine computes alike
    if _decimals(one) == _decimals(other) and fewest < _TELLING[dtype]:
        return False
    largest = max(a, b)
    unit = math.ldexp(1.0, math.frexp(largest)[1] - _BITS[dtype])
    return abs(a - b) <= UNITS * unit


def _around_numbers(text: str) -> list[str]:
    """The text before, between and after the numbers, without aligning blanks."""
    return [_BLANKS.sub(" ", _ROW.sub("", _ALIGNED.sub("", part))) for part in _NUMBER.split(text)]


def _digits(number: str) -> int:
    """The number of significant digits written."""
    mantissa = re.split("[eE]", number)[0]
    return len(mantissa.replace(".", "").lstrip("0"))


def _decimals(number: str) -> tuple[int, str]:
    """The number of digits after the decimal point, and the exponent."""
    mantissa, _, exponent = number.replace("E", "e").partition("e")
    return len(mantissa.partition(".")[2]), exponent


def _are_single(*numbers: float) -> bool:
    """Whether all of these are numbers of float32."""
    try:
        return all(struct.unpack("f", struct.pack("f", number))[0] == number for number in numbers)
    except OverflowError:
        return False
