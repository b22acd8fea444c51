"""What was found of an equality, and the message about one that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofbook.maths.algebra.expression import Symbol, Value, agree
from proofbook.maths.equalities import Equality, half_unit


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
