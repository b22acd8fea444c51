"""Places at which an equality is tried: both signs, 0, kinks, small and large numbers."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from proofbook.maths.algebra.expression import (
    NotEvaluated,
    Symbol,
    evaluate,
    subtrees,
    symbols,
)
from proofbook.maths.algebra.intervals import Interval, interval
from proofbook.maths.algebra.latex import Tree

Point = dict[Symbol, float]

_MODERATE = 8
_MAGNITUDES = (1e-3, 0.1, 30.0, 1e3)
_MOST_KINKS = 24
_BESIDE = 1 / 128
_FLOORS = (-1.0, 0.0, 1.0, 2.0)


def sample_points(trees: Sequence[Tree], conditions: Collection[Tree]) -> Iterator[Point]:
    """Points for the symbols of the trees that fulfil the conditions, the same at each call.

    Random ones of both signs; all positive, all negative; small and large ones; 0 for one symbol
    and for all; and for each kink (0 within |..|, where two arguments of max are equal, an exponent
    of 2, ...) the place itself and both sides of it.
    """
    names = sorted(set().union(*map(symbols, (*trees, *conditions))))
    if not names:
        yield {}
        return
    intervals = {name: interval(name, conditions) for name in names}
    for point in _candidates(names, intervals, trees):
        if _fulfils(point, conditions):
            yield point


def _candidates(
    names: Sequence[Symbol], intervals: Mapping[Symbol, Interval], trees: Sequence[Tree]
) -> Iterator[Point]:
    source = random.Random(0)

    def point(size: float = 1.0, sign: int = 0) -> Point:
        return {
            name: _within(
                intervals[name],
                size * source.uniform(0.2, 2.5) * (sign or source.choice((-1, 1))),
            )
            for name in names
        }

    for _ in range(_MODERATE):
        yield point()
    for sign in (1, -1):
        yield point(sign=sign)
    yield dict.fromkeys(names, 0.0)
    for name in names[:_MOST_KINKS]:
        yield {**point(), name: 0.0}
        yield {**point(sign=1), name: 0.0}
    for size in _MAGNITUDES:
        for sign in (0, 1, -1):
            yield point(size, sign)
    for kink, name in _kinks(trees):
        start = point()
        for place in _roots(kink, name, start):
            for at in (place, place - _BESIDE, place + _BESIDE):
                yield {**start, name: at}


def _within(allowed: Interval, number: float) -> float:
    """A number made one of an interval, written with few digits."""
    lower, upper = allowed.lower, allowed.upper
    if lower is not None and upper is not None:
        number = lower + (upper - lower) * (abs(number) % 1)
    elif lower is not None:
        number = lower + abs(number)
    elif upper is not None:
        number = upper - abs(number)
    return _rounded(number)


def _rounded(number: float) -> float:
    """The number with so few binary digits that most computations with it are exact."""
    return round(number * 2**24) / 2**24


def _fulfils(point: Point, conditions: Collection[Tree]) -> bool:
    try:
        return all(evaluate(one, point.__getitem__) for one in conditions)
    except NotEvaluated:
        return False


def _kinks(trees: Sequence[Tree]) -> list[tuple[Tree, Symbol]]:
    """Expressions at whose zeros something changes, each with a symbol to solve for."""
    found: dict[tuple[Tree, Symbol], None] = {}
    for tree in (one for root in trees for one in subtrees(root) if isinstance(one, tuple)):
        for kink in _kinks_of(tree):
            found.update(dict.fromkeys((kink, name) for name in sorted(symbols(kink))))
    return list(found)[:_MOST_KINKS]


def _kinks_of(tree: Tree) -> list[Tree]:
    if tree[0] == "call" and tree[1] in ("abs", "sign", "sqrt"):
        return [tree[2][0]]
    if tree[0] == "call" and tree[1] == "floor":
        return [("+", tree[2][0], -step) for step in _FLOORS]
    if tree[0] == "call" and tree[1] in ("max", "min"):
        return [("+", one, ("neg", other)) for one, other in combinations(tree[2], 2)]
    if tree[0] == "^" and symbols(tree[2]):
        return [("+", tree[2], -2.0)]  # a negative number has a square, but no power of 1.7
    if tree[0] in ("<", "<=", ">", ">=", "=", "!="):
        return [("+", tree[1], ("neg", tree[2]))]
    return []


def _roots(kink: Tree, name: Symbol, start: Point) -> list[float]:
    """Zeros of an expression along one symbol, found by secants from both sides of 0."""
    found = []
    for one, other in ((0.6, 1.4), (-0.7, -1.5)):
        try:
            at_one, at_other = (_value(kink, {**start, name: at}) for at in (one, other))
            for _ in range(40):
                if at_other == at_one or abs(at_other) < 1e-12:
                    break
                one, other = other, other - at_other * (other - one) / (at_other - at_one)
                at_one, at_other = at_other, _value(kink, {**start, name: other})
        except (NotEvaluated, ArithmeticError):
            continue
        if abs(at_other) < 1e-9:
            found.append(_rounded(other))
    return list(dict.fromkeys(found))


def _value(tree: Tree, point: Point) -> float:
    found = evaluate(tree, point.__getitem__)
    if isinstance(found, tuple):
        raise NotEvaluated("a vector")
    return found
