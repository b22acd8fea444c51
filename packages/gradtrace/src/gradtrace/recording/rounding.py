"""Rounds numbers as `print(tensor)` does, so that a figure shows what the script prints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradtrace.trace import Number

FIXED, SCIENTIFIC = ".4f", ".4e"
_EXACT = 2.0**53
"""Up to here a float holds every whole number."""


def rounded(numbers: Sequence[float]) -> list[Number]:
    """The numbers of one tensor, rounded together: four decimals, or four significant ones after
    the first where they are far apart, very small or very large."""
    pattern = SCIENTIFIC if are_far_apart(numbers) else FIXED
    return [_number(x, pattern) for x in numbers]


def are_far_apart(numbers: Sequence[float]) -> bool:
    """Whether numbers that are rounded together are so in scientific notation. Where some of them
    are far apart, all of them are."""
    sizes = [abs(x) for x in numbers if x and math.isfinite(x)]
    if not sizes:
        return False
    least, greatest = min(sizes), max(sizes)
    return greatest / least > 1000 or greatest > 1e8 or least < 1e-4


def rounded_alone(number: float) -> Number:
    """A number that is rounded by itself."""
    far = math.isfinite(number) and number and not 1e-4 <= abs(number) <= 1e8
    return _number(number, SCIENTIFIC if far else FIXED)


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
