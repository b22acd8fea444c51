"""Numbers of many digits for expression trees: differences are no rounding errors there."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from proofbook.maths.algebra.expression import Arithmetic, first_that_holds

_LARGEST_EXPONENT = 1e4
_FUNCTIONS = ("sqrt", "log", "exp", "sin", "cos", "tanh", "floor", "sign")


def precise_arithmetic() -> Arithmetic:
    """Real numbers with the digits that mpmath is set to; what is infinite or not real raises."""
    import mpmath

    def real(number: Any) -> Any:
        if isinstance(number, mpmath.mpc) or not mpmath.isfinite(number):
            raise ValueError("no real number")
        return number

    def number_of(number: float) -> Any:
        if number == int(number):
            return mpmath.mpf(int(number))
        constants = {math.e: mpmath.e, math.pi: mpmath.pi}
        return +constants[number] if number in constants else mpmath.mpf(repr(number))

    def power(one: Any, other: Any) -> Any:
        if abs(other) > _LARGEST_EXPONENT:
            raise OverflowError
        return real(one**other)

    def function(name: str) -> Callable[[Any], Any]:
        of = getattr(mpmath, name)

        def called(number: Any) -> Any:
            if name == "exp" and abs(number) > _LARGEST_EXPONENT:
                raise OverflowError
            return real(of(number))

        return called

    return Arithmetic(
        number=number_of,
        divide=lambda one, other: real(one / other),
        power=power,
        functions={**{n: function(n) for n in _FUNCTIONS}, "abs": abs, "min": min, "max": max},
        choose=first_that_holds,
    )
