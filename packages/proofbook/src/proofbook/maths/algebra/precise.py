"""Numbers of many digits for expression trees: differences are no rounding errors there."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from proofbook.maths.algebra.expression import (
    Arithmetic,
    NotEvaluated,
    evaluate,
    first_that_holds,
)
from proofbook.maths.algebra.latex import Tree

_LARGEST_EXPONENT = 1e4
_LARGEST_FLOAT = 1.7e308
_CLEARLY_ABOVE_ONE = 1.001
_DIGITS = 40
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


def precise_value(tree: Tree) -> Any | None:
    """The value of an expression without letters, however large; None where it has too many
    digits, or none, or is a vector."""
    import mpmath

    with mpmath.workdps(_DIGITS):
        try:
            value = evaluate(tree, {}.__getitem__, precise_arithmetic())
        except (NotEvaluated, KeyError):
            return None
    return None if isinstance(value, tuple) else value


def logarithm(tree: Tree) -> Any | None:
    """The logarithm of a positive power or product without letters, too large to be computed
    itself; None where it cannot be computed either."""
    import mpmath

    with mpmath.workdps(_DIGITS):
        value = precise_value(tree)
        if value is not None:
            return mpmath.log(value) if value > 0 else None
        if not isinstance(tree, tuple) or tree[0] not in ("^", "*"):
            return None
        first = logarithm(tree[1])
        other = precise_value(tree[2]) if tree[0] == "^" else logarithm(tree[2])
        if first is None or other is None:
            return None
        return first * other if tree[0] == "^" else first + other


def is_large(tree: Tree) -> bool:
    """Whether an expression without letters has a size that no float has; False if that cannot be
    told."""
    if (value := precise_value(tree)) is not None:
        return abs(value) > _LARGEST_FLOAT
    if not isinstance(tree, tuple):
        return False
    kind, *items = tree
    if kind == "neg":
        return is_large(items[0])
    if kind == "^":
        base, exponent = map(precise_value, items)
        grows = is_large(items[0]) if base is None else base > _CLEARLY_ABOVE_ONE
        if exponent is None:
            return grows and is_large(items[1]) and items[1][0] != "neg"
        size = logarithm(tree)
        return grows and (exponent >= 1 if size is None else size > math.log(_LARGEST_FLOAT))
    if kind in ("*", "+"):
        values = [precise_value(item) for item in items]
        known = [value for value in values if value is not None]
        large = [item for item, value in zip(items, values, strict=True) if value is None]
        small = all(abs(value) < _LARGEST_FLOAT for value in known)
        if kind == "+":
            return len(large) == 1 and small and is_large(large[0])
        return all(map(is_large, large)) and all(abs(value) >= 1 for value in known)
    return False
