"""What a page defines, y = 2w - 1 or f(x) = x^2, put into its other formulas."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from proofbook.maths.algebra.expression import (
    NotEvaluated,
    Symbol,
    expand_sums,
    is_symbol,
    replace,
    symbols,
)
from proofbook.maths.algebra.latex import Tree, Unreadable, read_latex
from proofbook.maths.algebra.symbolic import derivative
from proofbook.maths.equalities import Equality

_FUNCTION = re.compile(r"\\?([A-Za-z]+)\s*(?:\\left)?\(\s*\\?[A-Za-z]+\s*(?:\\right)?\)")
_E: Symbol = ("e", ())
_DEEPEST = 8
"""So many definitions deep are put into each other."""


@dataclass(frozen=True)
class Definition:
    """A symbol, or a function of the symbol `parameter`, and the expression that it means.

    `place`: where the page says it; `section`: the number of the section or box of that place.
    """

    place: int
    section: int
    name: str
    indices: tuple[str, ...]
    body: Tree
    parameter: Symbol | None = None

    def body_for(self, indices: tuple[str, ...]) -> Tree | None:
        """The body for a symbol with these indices, or None where it isn't defined by this."""
        if self.indices == indices:
            return self.body
        if len(self.indices) == len(indices) and all(map(is_index, self.indices)):
            return expand_sums(self.body, dict(zip(self.indices, indices, strict=True)))
        if self.indices or any(map(is_index, indices)):
            return None
        # z = 10u holds for each element: z_0 = 10 u_0.
        return replace(self.body, lambda tree: _with_indices(tree, indices))


def is_index(index: str) -> bool:
    """Whether this runs over numbers, as i, and is no part of a name, as new or 2."""
    return len(index) == 1 and index.isalpha()


def defines_symbol(one: Tree, other: Tree) -> bool:
    """Whether `one = other` says what a symbol means: y = 2w - 1, but neither y = 3 nor w = 2w."""
    return is_symbol(one) and bool(symbols(other)) and (one[1], one[2]) not in symbols(other)


def defines_function(one: Tree, other: Tree) -> bool:
    """Whether `one = other` says what a function is: f(x) = x^2."""
    applied = isinstance(one, tuple) and one[0] == "apply" and one[2] == 0 and is_symbol(one[3])
    return applied and (one[3][1], one[3][2]) in symbols(other)


@dataclass(frozen=True)
class Resolved:
    """An expression with definitions put in, and the places of those that were used."""

    tree: Tree
    used: frozenset[int]


@dataclass
class _Resolution:
    """What is known while definitions are put into one expression of a page."""

    section: int
    place: int
    used: set[int] = field(default_factory=set)


class Definitions:
    """The definitions of a page."""

    def __init__(self, definitions: Iterable[Definition]):
        self._symbols: dict[str, list[Definition]] = {}
        self._functions: dict[str, list[Definition]] = {}
        for one in definitions:
            table = self._functions if one.parameter else self._symbols
            table.setdefault(one.name, []).append(one)

    def resolve(
        self, tree: Tree, section: int, place: int, kept: Collection[Symbol] = ()
    ) -> Resolved:
        """Put definitions into an expression, and take its derivatives; raises `NotEvaluated`.

        A derivative of what isn't defined becomes the symbol "grad w", which runs may print. The
        definition at `place` is not used: it would prove itself. The symbols `kept` stay.
        """
        resolution = _Resolution(section, place)
        found = self._put_in(tree, frozenset(kept), resolution, 0)
        return Resolved(found, frozenset(resolution.used))

    def _put_in(
        self, tree: Tree, kept: frozenset[Symbol], resolution: _Resolution, depth: int
    ) -> Tree:
        def change(one: Tree) -> Tree | None:
            if not isinstance(one, tuple):
                return None
            if one[0] == "symbol":
                return self._for_symbol(one, kept, resolution, depth)
            if one[0] == "apply":
                return self._applied(one, kept, resolution, depth)
            if one[0] == "d":
                return self._differentiated(one, kept, resolution, depth)
            return None

        return replace(tree, change)

    def _for_symbol(
        self, tree: Tree, kept: frozenset[Symbol], resolution: _Resolution, depth: int
    ) -> Tree | None:
        name = (tree[1], tree[2])
        if name in kept or depth > _DEEPEST:
            return None
        found = [
            (one, body)
            for one in self._symbols.get(tree[1], ())
            if one.place != resolution.place and (body := one.body_for(tree[2])) is not None
        ]
        if not found:
            return None
        definition, body = min(found, key=lambda it: _distance(it[0], resolution))
        resolution.used.add(definition.place)
        return self._put_in(expand_sums(body, {}), kept | {name}, resolution, depth + 1)

    def _applied(
        self, tree: Tree, kept: frozenset[Symbol], resolution: _Resolution, depth: int
    ) -> Tree:
        _, name, order, argument = tree
        found = [one for one in self._functions.get(name, ()) if one.place != resolution.place]
        if not found or depth > _DEEPEST:
            raise NotEvaluated(f"the function {name}")
        definition = min(found, key=lambda one: _distance(one, resolution))
        resolution.used.add(definition.place)
        parameter = definition.parameter
        body = expand_sums(definition.body, {})
        body = self._put_in(body, kept | {parameter}, resolution, depth + 1)
        if order:
            body = derivative(body, parameter, order)
        argument = self._put_in(argument, kept, resolution, depth + 1)
        return replace(body, lambda one: argument if one == ("symbol", *parameter) else None)

    def _differentiated(
        self, tree: Tree, kept: frozenset[Symbol], resolution: _Resolution, depth: int
    ) -> Tree:
        _, inside, symbol, order = tree
        by = (symbol[1], symbol[2])
        body = self._put_in(expand_sums(inside, {}), kept | {by}, resolution, depth + 1)
        if by not in symbols(body):
            if is_symbol(inside) and order == 1:
                return ("symbol", f"grad {by[0]}", by[1])
            raise NotEvaluated("what the derivative is of")
        return self._put_in(derivative(body, by, order), kept, resolution, depth + 1)


def _distance(definition: Definition, at: _Resolution) -> tuple[bool, bool, int]:
    """Sorts definitions: that of the same section, or else the last before, or else the first."""
    away = definition.place - at.place
    return definition.section != at.section, away > 0, abs(away)


def _with_indices(tree: Tree, indices: tuple[str, ...]) -> Tree | None:
    if is_symbol(tree) and not tree[2]:
        return ("symbol", tree[1], indices)
    return None


def read_sides(
    equalities: Sequence[Equality], named_in_code: Collection[Symbol] = ()
) -> dict[Equality, tuple[Tree, Tree]]:
    """The two trees of each equality that can be read.

    Where the page says `f(x) = ...` with x on the right, f is a function in all its formulas. The
    letter e is Euler's number, unless an equality or the code gives it another meaning.
    """
    functions = frozenset(
        found[1]
        for equality in equalities
        if (found := _FUNCTION.fullmatch(equality.left))
        and (sides := _read(equality, frozenset({found[1]})))
        and defines_function(*sides)
    )
    sides = {one: trees for one in equalities if (trees := _read(one, functions)) is not None}
    if _E in named_in_code or any(("symbol", *_E) in trees for trees in sides.values()):
        return sides
    return {one: tuple(map(_with_number_e, trees)) for one, trees in sides.items()}


def _read(equality: Equality, functions: frozenset[str]) -> tuple[Tree, Tree] | None:
    try:
        return read_latex(equality.left, functions), read_latex(equality.right, functions)
    except Unreadable:
        return None


def _with_number_e(tree: Tree) -> Tree:
    return replace(tree, lambda one: math.e if one == ("symbol", *_E) else None)
