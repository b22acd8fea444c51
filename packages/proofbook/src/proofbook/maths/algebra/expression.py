"""Expression trees (latex.py says what they look like): their symbols, sums, and values.

A tree is evaluated with numbers of any kind: floats here, mpmath's and SymPy's in other modules.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from typing import Any

from proofbook.maths.algebra.latex import Tree

Symbol = tuple[str, tuple[str, ...]]
"""A name with its indices: w_{ij} is ("w", ("i", "j"))."""
Value = Any
"""A number, or a vector: a tuple of values."""
Relation = Mapping[str, Callable[[Any, Any], Any]]

_DEFAULT_RANGE = ("range", 0.0, 2.0)
"""Where a sum doesn't say how far it goes: what holds for three terms holds for all."""
_LONGEST_SUM = 1000
RELATIONS: Relation = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
    "=": operator.eq,
}


class NotEvaluated(Exception):
    """The expression has no value: a symbol has none, or this module doesn't know how."""


class NotReal(NotEvaluated):
    """The expression is no real number: it holds a root or a logarithm of a negative one."""


def subtrees(tree: Tree) -> Iterator[Tree]:
    """The tree and everything in it."""
    yield tree
    if not isinstance(tree, tuple) or tree[0] == "symbol":
        return
    for item in tree[1:]:
        for one in item if isinstance(item, tuple) and _is_list(item) else (item,):
            if isinstance(one, tuple | float):
                yield from subtrees(one)


def is_symbol(tree: Tree) -> bool:
    """Whether the tree is a single symbol."""
    return isinstance(tree, tuple) and tree[0] == "symbol"


def symbols(tree: Tree) -> set[Symbol]:
    """The symbols of an expression."""
    return {(one[1], one[2]) for one in subtrees(tree) if is_symbol(one)}


def has_operation(tree: Tree) -> bool:
    """Whether this computes something from symbols."""
    plain = not isinstance(tree, tuple) or tree[0] in ("symbol", "d", "tuple", "apply")
    return not plain and bool(symbols(tree))


def has_kink(tree: Tree) -> bool:
    """Whether signs may matter: there is |..|, a root, max or cases."""
    kinds = {one[0] for one in subtrees(tree) if isinstance(one, tuple)}
    return bool(kinds & {"call", "cases"})


def replace(tree: Tree, change: Callable[[Tree], Tree | None]) -> Tree:
    """The tree, each part of it for which `change` gives another one replaced by that."""
    if (other := change(tree)) is not None:
        return other
    if not isinstance(tree, tuple) or tree[0] == "symbol":
        return tree
    return (tree[0], *(_replace_in(item, change) for item in tree[1:]))


def _replace_in(item: Any, change: Callable[[Tree], Tree | None]) -> Any:
    if not isinstance(item, tuple):
        return item
    if _is_list(item):
        return tuple(replace(one, change) for one in item)
    return replace(item, change)


def _is_list(item: tuple) -> bool:
    """Whether this is a list of trees: the items of a vector, the arguments of a function."""
    return not item or not isinstance(item[0], str)


def expand_sums(tree: Tree, indices: Mapping[str, str]) -> Tree:
    """The tree with sums written as additions, its free indices being the numbers given."""

    def change(one: Tree) -> Tree | None:
        if not isinstance(one, tuple):
            return None
        if one[0] == "symbol":
            return ("symbol", one[1], tuple(indices.get(index, index) for index in one[2]))
        if one[0] == "sum":
            _, first, last = one[2] or _DEFAULT_RANGE
            if last - first > _LONGEST_SUM:
                raise NotEvaluated("a long sum")
            places = product(range(int(first), int(last) + 1), repeat=len(one[1]))
            terms = [
                expand_sums(one[3], {**indices, **dict(zip(one[1], map(str, at), strict=True))})
                for at in places
            ]
            total: Tree = terms[0]
            for term in terms[1:]:
                total = ("+", total, term)
            return total
        return None

    return replace(tree, change)


@dataclass(frozen=True)
class Arithmetic:
    """Numbers of one kind and what is done with them.

    `number` converts the floats of a tree; `choose` picks the value of a definition by cases from
    pairs (condition, function that gives the value).
    """

    number: Callable[[float], Any]
    divide: Callable[[Any, Any], Any]
    power: Callable[[Any, Any], Any]
    functions: Mapping[str, Callable]
    choose: Callable[[Sequence[tuple[Any, Callable[[], Any]]]], Any]
    relations: Relation = field(default_factory=lambda: RELATIONS)
    all_of: Callable[[Sequence[Any]], Any] = all

    @cached_property
    def operations(self) -> Mapping[str, Callable[[Any, Any], Any]]:
        """What is done with two numbers, by the kinds of trees."""
        return {
            "+": operator.add,
            "*": operator.mul,
            "dot": operator.mul,
            "/": self.divide,
            "^": self.power,
            **self.relations,
        }


def evaluate(
    tree: Tree, value_of: Callable[[Symbol], Value], arithmetic: Arithmetic | None = None
) -> Value:
    """The value of a tree, each symbol having the one that `value_of` gives it.

    Computed with floats, or with the numbers of another arithmetic. Raises `NotEvaluated`.
    """
    try:
        return _evaluate(tree, value_of, arithmetic or FLOATS)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise NotEvaluated(str(error)) from None


def _evaluate(tree: Tree, value_of: Callable[[Symbol], Value], with_: Arithmetic) -> Value:
    if not isinstance(tree, tuple):
        return with_.number(tree)
    kind, *items = tree
    if kind == "symbol":
        return value_of((items[0], items[1]))
    if kind == "tuple":
        return tuple(_evaluate(item, value_of, with_) for item in items[0])
    if kind == "call":
        return _call(items[0], [_evaluate(item, value_of, with_) for item in items[1]], with_)
    if kind == "cases":
        branches = [partial(_evaluate, value, value_of, with_) for value in items[0]]
        conditions = [_evaluate(condition, value_of, with_) for condition in items[1]]
        return with_.choose(list(zip(conditions, branches, strict=True)))
    if kind == "and":
        return with_.all_of([_evaluate(item, value_of, with_) for item in items[0]])
    if kind == "neg":
        return _elementwise(operator.mul, _evaluate(items[0], value_of, with_), with_.number(-1.0))
    if kind not in with_.operations and kind != "claim":
        raise NotEvaluated(kind)
    one, other = (_evaluate(item, value_of, with_) for item in items)
    if kind == "claim":
        if not agree(one, other):
            raise NotEvaluated("the text below the brace has another value")
        return one
    if kind == "dot" and isinstance(one, tuple) and isinstance(other, tuple):
        return sum((a * b for a, b in zip(one, other, strict=True)), with_.number(0.0))
    return _elementwise(with_.operations[kind], one, other)


def _elementwise(operation: Callable[[Any, Any], Any], one: Value, other: Value) -> Value:
    """The operation on two numbers, or on each number of vectors."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(_elementwise(operation, a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, tuple):
        return tuple(_elementwise(operation, a, other) for a in one)
    if isinstance(other, tuple):
        return tuple(_elementwise(operation, one, b) for b in other)
    return operation(one, other)


def _call(name: str, arguments: list[Value], with_: Arithmetic) -> Value:
    if name in ("min", "max"):
        if any(isinstance(argument, tuple) for argument in arguments):
            raise NotEvaluated(f"{name} of vectors")
        return with_.functions[name](*arguments)
    (one,) = arguments
    if name == "norm":
        if not isinstance(one, tuple):
            return with_.functions["abs"](one)
        return with_.functions["sqrt"](sum((a * a for a in one), with_.number(0.0)))
    if name not in with_.functions:
        raise NotEvaluated(name)
    return _elementwise(lambda x, _: with_.functions[name](x), one, 0.0)


def first_that_holds(branches: Sequence[tuple[Any, Callable[[], Any]]]) -> Any:
    """The value of the first case whose condition is true."""
    for condition, value in branches:
        if condition:
            return value()
    raise NotEvaluated("none of the cases")


def _divide_floats(one: float, other: float) -> float:
    """As floats divide in PyTorch, by 0 to infinity; 0 / 0 raises `ZeroDivisionError`."""
    return one / other if other or not one else math.copysign(math.inf, one)


def _power_of_floats(one: float, other: float) -> float:
    found = one**other
    if isinstance(found, complex):
        raise NotReal("a root of a negative number")
    return found


def _of_positive(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of floats that no negative number has a value for."""

    def called(number: float) -> float:
        if number < 0:
            raise NotReal("a root or logarithm of a negative number")
        return function(number)

    return called


FLOATS = Arithmetic(
    number=float,
    divide=_divide_floats,
    power=_power_of_floats,
    functions={
        "sqrt": _of_positive(math.sqrt),
        "log": _of_positive(math.log),
        "exp": math.exp,
        "sin": math.sin,
        "cos": math.cos,
        "tanh": math.tanh,
        "abs": abs,
        "floor": lambda x: float(math.floor(x)),
        "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
        "min": min,
        "max": max,
    },
    choose=first_that_holds,
)


def agree(one: Value, other: Value, within: float = 0.0) -> bool:
    """Whether two values agree: exactly as far as floats go, or within some distance."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            agree(a, b, within) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, tuple) or isinstance(other, tuple):
        return False
    if math.isnan(one) and math.isnan(other):
        return True
    near = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return near or abs(one - other) <= within * (1 + 1e-6)
