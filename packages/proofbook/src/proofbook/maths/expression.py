"""Expression trees (see latex.py): their letters, derivatives, sums written out, and values.

Two expressions are taken for the same formula if they agree where each letter has a number of its
own that nobody would write down: an identity that fails there would have to meet by accident.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import product

from proofbook.maths.latex import Tree

Value = float | tuple
Name = tuple[str, tuple[str, ...]]
"""A letter with its indices."""

_ANY_SPAN = ("span", 0.0, 2.0)
"""Where a sum doesn't say how far it goes: what holds for three terms holds for all."""


class Unknown(Exception):
    """The expression has no value: a letter has none, or nobody taught this module how."""


def parts(tree: Tree) -> Iterator[Tree]:
    """The tree and everything in it."""
    yield tree
    if isinstance(tree, tuple):
        for item in tree[1:]:
            if tree[0] == "letter":
                continue
            for one in item if isinstance(item, tuple) and _is_list(item) else (item,):
                if isinstance(one, tuple | float):
                    yield from parts(one)


def letters(tree: Tree) -> set[Name]:
    """The letters of an expression."""
    return {(p[1], p[2]) for p in parts(tree) if isinstance(p, tuple) and p[0] == "letter"}


def changed(tree: Tree, change: Callable[[Tree], Tree | None]) -> Tree:
    """The tree, each part of it for which `change` gives another one replaced by that."""
    if (other := change(tree)) is not None:
        return other
    if not isinstance(tree, tuple) or tree[0] == "letter":
        return tree
    return (tree[0], *(_changed_item(item, change) for item in tree[1:]))


def _changed_item(item, change):
    if not isinstance(item, tuple):
        return item
    if _is_list(item):
        return tuple(changed(one, change) for one in item)
    return changed(item, change)


def _is_list(item: tuple) -> bool:
    """Whether this is a list of trees: the items of a vector, the arguments of a function."""
    return not item or not isinstance(item[0], str)


def written_out(tree: Tree, free: Mapping[str, str]) -> Tree:
    """The tree without sums, its free indices being those numbers."""

    def change(one: Tree) -> Tree | None:
        if not isinstance(one, tuple):
            return None
        if one[0] == "letter":
            return ("letter", one[1], tuple(free.get(index, index) for index in one[2]))
        if one[0] == "sum":
            _, first, last = one[2] or _ANY_SPAN
            if last - first > 1000:
                raise Unknown("a long sum")
            terms = [
                written_out(one[3], {**free, **dict(zip(one[1], map(str, places), strict=True))})
                for places in product(range(int(first), int(last) + 1), repeat=len(one[1]))
            ]
            total: Tree = terms[0]
            for term in terms[1:]:
                total = ("+", total, term)
            return total
        return None

    return changed(tree, change)


def derivative(tree: Tree, by: Tree) -> Tree:
    """The derivative of an expression without sums; raises `Unknown`."""
    if not isinstance(tree, tuple):
        return 0.0
    kind, *items = tree
    if kind == "letter":
        return 1.0 if tree == by else 0.0
    if (by[1], by[2]) not in letters(tree):
        return 0.0
    one = items[0]
    if kind == "neg":
        return ("neg", derivative(one, by))
    if kind == "call":
        (one,) = items[1] if len(items[1]) == 1 else (None,)
        inner = {
            "sqrt": lambda: ("/", 0.5, tree),
            "log": lambda: ("/", 1.0, one),
            "abs": lambda: ("call", "sign", (one,)),
        }.get(items[0])
        if one is None or inner is None:
            raise Unknown(items[0])
        return _times(inner(), derivative(one, by))
    if kind == "d":
        return derivative(derivative_of(tree), by)
    if kind not in ("+", "*", "dot", "/", "^"):
        raise Unknown(kind)
    other = items[1]
    if kind == "^":
        if letters(other) & {(by[1], by[2])}:
            if one != ("letter", "e", ()):
                raise Unknown("a letter in an exponent")
            return _times(tree, derivative(other, by))
        power = one if other == 2.0 else ("^", one, ("+", other, -1.0))
        return _times(("*", other, power), derivative(one, by))
    ahead, behind = derivative(one, by), derivative(other, by)
    if kind == "+":
        return _plus(ahead, behind)
    if kind == "/":
        below = ("/", _times(one, behind), ("^", other, 2.0)) if behind else 0.0
        return _plus(("/", ahead, other) if ahead else 0.0, ("neg", below) if below else 0.0)
    return _plus(_times(ahead, other, kind), _times(one, behind, kind))


def _plus(one: Tree, other: Tree) -> Tree:
    return ("+", one, other) if one and other else one or other


def _times(one: Tree, other: Tree, kind: str = "*") -> Tree:
    """A product; what is multiplied by 0 is gone, letters and all."""
    if not one or not other:
        return 0.0
    if one == 1.0 or other == 1.0:
        return other if one == 1.0 else one
    return (kind, one, other)


def derivative_of(tree: Tree) -> Tree:
    """The derivative that a tree of the kind "d" asks for."""
    _, body, by, order = tree
    for _ in range(order):
        body = derivative(body, by)
    return body


def value(tree: Tree, of: Callable[[Name], Value]) -> Value:
    """The value, each letter having the one that `of` gives it; raises `Unknown`."""
    try:
        return _value(tree, of)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise Unknown(str(error)) from None


def _value(tree: Tree, of: Callable[[Name], Value]) -> Value:
    if not isinstance(tree, tuple):
        return tree
    kind, *items = tree
    if kind == "letter":
        return of((items[0], items[1]))
    if kind == "tuple":
        return tuple(_value(item, of) for item in items[0])
    if kind == "call":
        return _called(items[0], [_value(item, of) for item in items[1]])
    if kind == "d":
        return _value(derivative_of(tree), of)
    if kind == "neg":
        return _each(lambda one, _: -one, _value(items[0], of), 0.0)
    if kind not in ("+", "*", "dot", "/", "^", "claim"):
        raise Unknown(kind)
    one, other = _value(items[0], of), _value(items[1], of)
    if kind == "claim":
        if not same(one, other):
            raise Unknown("what stands below the brace is something else")
        return one
    if kind == "dot" and isinstance(one, tuple) and isinstance(other, tuple):
        return sum(a * b for a, b in zip(one, other, strict=True))
    return _each(_OPERATIONS[kind], one, other)


def _raised(one: float, other: float) -> float:
    found = one**other
    if isinstance(found, complex):
        raise Unknown("a root of a negative number")
    return found


def _divided(one: float, other: float) -> float:
    """As floats divide on every machine: by 0 to infinity."""
    return one / other if other or not one else math.copysign(math.inf, one)


_OPERATIONS = {
    "+": lambda one, other: one + other,
    "*": lambda one, other: one * other,
    "dot": lambda one, other: one * other,
    "/": _divided,
    "^": _raised,
}


def _each(operation: Callable[[float, float], float], one: Value, other: Value) -> Value:
    """The operation on numbers, or on each number of vectors."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(_each(operation, a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, tuple):
        return tuple(_each(operation, a, other) for a in one)
    if isinstance(other, tuple):
        return tuple(_each(operation, one, b) for b in other)
    return operation(one, other)


def _called(name: str, arguments: list[Value]) -> Value:
    if name in ("min", "max"):
        return (min if name == "min" else max)(arguments)
    (one,) = arguments
    if name == "norm":
        return math.hypot(*one) if isinstance(one, tuple) else abs(one)
    functions = {"sqrt": math.sqrt, "log": math.log, "abs": abs, "floor": math.floor}
    functions["sign"] = lambda x: math.copysign(1.0, x) if x else 0.0
    return _each(lambda x, _: float(functions[name](x)), one, 0.0)


def same(one: Value, other: Value, within: float = 0.0) -> bool:
    """Whether two values agree: exactly as far as floats go, or within some distance."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            same(a, b, within) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, tuple) or isinstance(other, tuple):
        return False
    if math.isnan(one) and math.isnan(other):
        return True
    near = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return near or abs(one - other) <= within * (1 + 1e-6)


def anywhere(name: Name) -> float:
    """A number for a letter, always the same for the same letter."""
    return 0.5 + zlib.crc32(f"{name[0]}_{name[1]}".encode()) / 2**32


def at_any_place(tree: Tree) -> Value:
    """The value where each letter has a number of its own: the mark of a formula."""
    return value(tree, anywhere)
