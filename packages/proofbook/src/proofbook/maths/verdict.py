"""What was found of an equality, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass

from proofbook.maths.equalities import Equality, half_unit
from proofbook.maths.expression import Name, Value, same
from proofbook.maths.symbol_values import Known


@dataclass(frozen=True)
class Verdict:
    """An equality, and what was found: "computed" (numbers alone), "proved", "wrong" or "open".

    `expected`: what the left side is where the equality is wrong, and with which values. `used`:
    the places of the page's equalities that define a letter of this one, or give it its value.
    """

    equality: Equality
    state: str
    expected: str = ""
    used: frozenset[int] = frozenset()


def computed(equality: Equality) -> Verdict:
    """Judge an equality of numbers alone."""
    one, other = equality.values
    if same(one, other, equality.within):
        return Verdict(equality, "computed")
    rounded = equality.sign == "=" and abs(one - other) <= half_unit(equality.right) * 1.01
    return Verdict(equality, "wrong", shown(one) + (r" (rounded: write \approx)" * rounded))


def told(left: Value, right: Value, values: dict[Name, Known], number: bool) -> str:
    """What the left side is; where the right one holds letters too, what both are."""
    text = shown(left) if number else f"{shown(left)} and {shown(right)}"
    given = ", ".join(f"{_written(name)} = {shown(known.value)}" for name, known in values.items())
    return f"{text} (with {given})" if given else text


def _written(name: Name) -> str:
    if name[0].startswith("grad "):
        return f"{name[0].removeprefix('grad ')}.grad"
    return name[0] + (f"_{''.join(name[1])}" if name[1] else "")


def shown(one: Value) -> str:
    """A value as a page writes it."""
    if isinstance(one, tuple):
        return f"({', '.join(map(shown, one))})"
    return f"{one:.10g}"
