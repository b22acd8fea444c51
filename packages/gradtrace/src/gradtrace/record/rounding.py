"""Rounds numbers as `print(tensor)` does, so that a figure shows what the script prints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtrace.trace import Number

_EXACT = 2.0**53
"""Up to here a float holds every whole number."""


def rounded(numbers: Sequence[float]) -> list[Number]:
    """The numbers of one tensor, rounded together: four decimals, or four significant ones after
    the first where they are far apart, very small or very large."""
    sizes = [abs(x) for x in numbers if math.isfinite(x) and x]
    far = bool(sizes) and (max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4)
    pattern = ".4e" if far else ".4f"
    return [_number(x, pattern) for x in numbers]


def rounded_complex(numbers: Sequence[complex]) -> list[Number]:
    """The same for complex numbers: torch rounds the real parts together, and the imaginary."""
    real, imaginary = rounded([z.real for z in numbers]), rounded([z.imag for z in numbers])
    return [
        f"{a}{b}j" if str(b).startswith("-") else f"{a}+{b}j"
        for a, b in zip(real, imaginary, strict=True)
    ]


def _number(x: float, pattern: str) -> Number:
    if not math.isfinite(x):
        return str(x)
    number = float(format(x, pattern))
    minus_zero = not number and math.copysign(1, number) < 0  # printed with its sign
    whole = number.is_integer() and abs(number) < _EXACT and not minus_zero
    return int(number) if whole else number
