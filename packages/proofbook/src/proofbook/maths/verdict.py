"""What was found of an equality, and the message about one that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofbook.maths.algebra.expression import Symbol, Value, agree
from proofbook.maths.algebra.latex import Tree
from proofbook.maths.algebra.precise import is_large, logarithm, precise_value
from proofbook.maths.equalities import Equality, half_unit

_ROUNDING = 1e-12
"""So much of a large number may be lost in rounding."""


@dataclass(frozen=True)
class Verdict:
    """An equality, and what was found: "computed" (numbers alone), "proved", "wrong" or "open".

    `expected`: what the left side is where the equality is wrong, and with which values. `used`:
    the places of the page's equalities that define a symbol of this one, or give it its value.
    """

    equality: Equality
    state: str
    expected: str = ""
    used: frozenset[int] = frozenset()


def verdict_on_numbers(equality: Equality) -> Verdict:
    """The verdict on an equality of numbers alone."""
    one, other = equality.values
    if agree(one, other, equality.within):
        return Verdict(equality, "computed")
    rounded = equality.sign == "=" and abs(one - other) <= half_unit(equality.right) * 1.01
    return Verdict(equality, "wrong", format_value(one) + (r" (rounded: write \approx)" * rounded))


def verdict_on_large_numbers(equality: Equality, one: Tree, other: Tree) -> Verdict:
    """The verdict on numbers of which one is too large for a float, or a step on the way to it."""
    if one == other:
        return Verdict(equality, "computed")
    left, right = precise_value(one), precise_value(other)
    if None not in (left, right):
        near = abs(left - right) <= max(equality.within, _ROUNDING * abs(right))
        return _decided(equality, near, f"{format_large(left)}")
    large = [is_large(tree) for tree in (one, other)]
    if all(large):
        sizes = logarithm(one), logarithm(other)
        if None in sizes:
            return Verdict(equality, "open")
        near = abs(sizes[0] - sizes[1]) <= _ROUNDING * abs(sizes[1])
        return _decided(equality, near, "the same number on both sides, both too large for a float")
    if (large[0] and right is not None) or (large[1] and left is not None):
        told = "a number too large for a float" if large[0] else format_large(left)
        return _decided(equality, False, told)
    return Verdict(equality, "open")


def _decided(equality: Equality, holds: bool, expected: str) -> Verdict:
    return Verdict(equality, "computed") if holds else Verdict(equality, "wrong", expected)


def format_large(value: object) -> str:
    """A number of many digits, in ten of them."""
    import mpmath

    return mpmath.nstr(value, 10).removesuffix(".0")


def format_difference(left: Value, right: Value | None, values: Mapping[Symbol, Value]) -> str:
    """What the sides are with these values; `right` is None where it is a number as written."""
    sides = [left] if right is None else [left, right]
    text = " and ".join(map(format_value, sides))
    return f"{text} (with {format_values(values)})" if values else text


def format_values(values: Mapping[Symbol, Value]) -> str:
    """Values of symbols: `w = 2, x_0 = -1`."""
    return ", ".join(
        f"{_format_symbol(name)} = {format_value(value)}" for name, value in values.items()
    )


def _format_symbol(symbol: Symbol) -> str:
    name, indices = symbol
    if name.startswith("grad "):
        return f"{name.removeprefix('grad ')}.grad"
    return name + (f"_{''.join(indices)}" if indices else "")


def format_value(value: Value) -> str:
    """A value as a page writes it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(format_value, value))})"
    return f"{value:.10g}"
