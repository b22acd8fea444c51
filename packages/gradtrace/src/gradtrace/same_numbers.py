"""Whether two texts show the same numbers, rounding apart.

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
    if not (_has_point(one) and _has_point(other)):
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


def _has_point(number: str) -> bool:
    return not number.isdigit()


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
