"""The intervals that conditions as w > 0 leave to single symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from proofbook.maths.algebra.expression import Symbol, is_symbol
from proofbook.maths.algebra.latex import Tree


@dataclass(frozen=True)
class Interval:
    """Where a symbol may lie; `strict`: whether the bounds themselves are left out."""

    lower: float | None = None
    upper: float | None = None
    strict: bool = True


def relations(conditions: Collection[Tree]) -> Iterator[Tree]:
    """The single relations of conditions."""
    for one in conditions:
        if one[0] == "and":
            yield from relations(one[1])
        else:
            yield one


def interval(symbol: Symbol, conditions: Collection[Tree]) -> Interval:
    """The interval that conditions as w > 0 leave to a symbol."""
    lower, upper, strict = None, None, True
    for sign, one, other in relations(conditions):
        if is_symbol(other) and not is_symbol(one):
            one, other = other, one
            sign = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
        if one != ("symbol", *symbol) or (bound := _number(other)) is None:
            continue
        if sign[0] == ">" and (lower is None or bound >= lower):
            lower, strict = bound, sign == ">"
        elif sign[0] == "<" and (upper is None or bound <= upper):
            upper, strict = bound, sign == "<"
    return Interval(lower, upper, strict)


def _number(tree: Tree) -> float | None:
    if isinstance(tree, tuple):
        inner = _number(tree[1]) if tree[0] == "neg" else None
        return None if inner is None else -inner
    return tree
