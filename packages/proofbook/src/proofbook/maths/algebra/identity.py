"""Whether two expressions are equal whatever their symbols are, with the conditions of a page.

First numbers look for a counterexample: it needs no SymPy, and most equalities have one. Then SymPy
has to prove what no number refutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from proofbook.maths.algebra.expression import (
    NotEvaluated,
    NotReal,
    Symbol,
    Value,
    evaluate,
    subtrees,
    symbols,
)
from proofbook.maths.algebra.expression import agree as floats_agree
from proofbook.maths.algebra.intervals import interval
from proofbook.maths.algebra.latex import Tree
from proofbook.maths.algebra.precise import precise_arithmetic
from proofbook.maths.algebra.sample_points import Point, sample_points
from proofbook.maths.algebra.symbolic import (
    UNDECIDED_BY_SYMPY,
    flat,
    real_symbols,
    to_sympy,
    without_claims,
)

_DIGITS = 40
_TOLERANCE = 1e-18
_FEWEST_POINTS = 3
"""At fewer places where both sides have a value, nothing counts as an identity."""
_MOST_SIGNS = 4
"""So many symbols are split into positive and negative."""
_LONGEST = 100
"""The operations of an expression that SymPy may still simplify: it is slow."""


@dataclass(frozen=True)
class Decision:
    """`holds` is True where it was proved, False with a counterexample, None where neither."""

    holds: bool | None
    counterexample: Point | None = None


def is_identity(one: Tree, other: Tree, conditions: Collection[Tree] = ()) -> Decision:
    """Decide whether two expressions without sums and derivatives are equal.

    All symbols are real numbers, and fulfil the conditions. The two are not compared where neither
    is a real number, nor at a single point that one of them leaves out (a division by 0). Where
    only one of them is a real number (log ab = log a + log b for negative a and b) the equality is
    undecided: it needs a condition.
    """
    if any(_is_norm_of_symbol(tree) for root in (one, other) for tree in subtrees(root)):
        return Decision(None)  # the symbol is a vector
    one, other = without_claims(one), without_claims(other)
    tried = _try_points(one, other, conditions)
    if tried is not None:
        return tried
    if not symbols(one) and not symbols(other):
        return Decision(True)
    try:
        return Decision(True if _proved(one, other, conditions) else None)
    except (NotEvaluated, *UNDECIDED_BY_SYMPY):
        return Decision(None)


def _is_norm_of_symbol(tree: Tree) -> bool:
    called = isinstance(tree, tuple) and tree[0] == "call" and tree[1] == "norm"
    return called and not (isinstance(tree[2][0], tuple) and tree[2][0][0] == "tuple")


def _try_points(one: Tree, other: Tree, conditions: Collection[Tree]) -> Decision | None:
    """A decision where numbers suffice: a counterexample, or too few places to compare at."""
    import mpmath

    compared, one_sided = 0, False
    with mpmath.workdps(_DIGITS):
        precise = precise_arithmetic()
        for point in sample_points((one, other), conditions):
            try:
                agree = _agree_as_floats(one, other, point) or _agree(
                    *(evaluate(tree, _precise_values(point), precise) for tree in (one, other))
                )
            except NotEvaluated:
                one_sided = one_sided or _is_real(one, point) is not _is_real(other, point)
                continue
            if not agree:
                return Decision(False, point)
            compared += 1
    if one_sided or compared < (_FEWEST_POINTS if symbols(one) | symbols(other) else 1):
        return Decision(None)
    return None


def _agree_as_floats(one: Tree, other: Tree, point: Point) -> bool:
    """Whether floats already agree; where they don't, it may be rounding."""
    left, right = (evaluate(tree, point.__getitem__) for tree in (one, other))
    return all(map(math.isfinite, flat(left))) and floats_agree(left, right)


def _is_real(tree: Tree, point: Point) -> bool:
    """Whether there is no root or logarithm of a negative number at a point."""
    try:
        evaluate(tree, point.__getitem__)
    except NotReal:
        return False
    except NotEvaluated:
        return True
    return True


def _precise_values(point: Point) -> Callable[[Symbol], Any]:
    import mpmath

    return lambda name: mpmath.mpf(point[name])


def _agree(one: Value, other: Value) -> bool:
    if isinstance(one, tuple) != isinstance(other, tuple):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_agree, one, other))
    return one == other or abs(one - other) <= _TOLERANCE * max(1, abs(one), abs(other))


def _proved(one: Tree, other: Tree, conditions: Collection[Tree]) -> bool:
    """Whether SymPy proves that two expressions of the same shape are equal."""
    names = real_symbols(one, other)
    values = {name: _assumed(name, symbol, conditions) for name, symbol in names.items()}
    sides = (flat(to_sympy(tree, values)) for tree in (one, other))
    return all(_equal(left, right) for left, right in zip(*sides, strict=True))


def _assumed(name: Symbol, symbol: Any, conditions: Collection[Tree]) -> Any:
    """A real symbol; or what makes SymPy know its bounds: 2 + p with a positive p for w > 2."""
    import sympy

    allowed = interval(name, conditions)
    sign = {"positive": True} if allowed.strict else {"nonnegative": True}
    if allowed.lower is not None:
        return sympy.Rational(repr(allowed.lower)) + sympy.Symbol(symbol.name, **sign)
    if allowed.upper is not None:
        return sympy.Rational(repr(allowed.upper)) - sympy.Symbol(symbol.name, **sign)
    return symbol


def _equal(left: Any, right: Any) -> bool:
    """Exact tests from cheap to slow; then the same for each combination of signs."""
    import sympy

    difference = left - right
    if _is_zero(difference) or _is_zero(_rewritten(difference)):
        return True
    split = sorted(_with_unknown_sign(left) | _with_unknown_sign(right), key=str)
    if split and len(split) <= _MOST_SIGNS:
        compared = []
        for signs in product((1, -1), repeat=len(split)):
            part = {
                symbol: sign * sympy.Symbol(symbol.name, positive=True)
                for symbol, sign in zip(split, signs, strict=True)
            }
            if _is_defined(left, part) and _is_defined(right, part):
                compared.append(_is_zero(_replaced(left, part) - _replaced(right, part)))
        if compared and all(compared):
            return True
    return sympy.count_ops(difference) <= _LONGEST and sympy.simplify(difference) == 0


def _is_zero(difference: Any) -> bool:
    if difference == 0:
        return True
    if (expanded := difference.expand()) == 0:
        return True
    return expanded.together().as_numer_denom()[0].expand() == 0


def _rewritten(expression: Any) -> Any:
    """The expression with |..| for max and min, and powers of e for sin, cos and tanh."""
    import sympy

    with_abs = expression.rewrite([sympy.Max, sympy.Min], sympy.Abs)
    return with_abs.rewrite([sympy.sin, sympy.cos, sympy.tanh], sympy.exp)


def _with_unknown_sign(expression: Any) -> set[Any]:
    """The symbols in |..|, max, a root, ... that may be positive or negative."""
    import sympy

    kinds = (sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.Piecewise)
    atoms = expression.atoms(*kinds) | _of_positive_numbers(expression)
    found = {symbol for one in atoms for symbol in one.free_symbols}
    return {symbol for symbol in found if symbol.is_nonnegative is None}


def _of_positive_numbers(expression: Any) -> set[Any]:
    """The roots and logarithms in an expression: a negative number has none."""
    import sympy

    roots = {one for one in expression.atoms(sympy.Pow) if not one.exp.is_integer}
    return {one for one in roots if one.base != sympy.E} | expression.atoms(sympy.log)


def _is_defined(expression: Any, values: Mapping[Any, Any]) -> bool:
    """Whether there is no root or logarithm of what is negative, the symbols being `values`."""
    inner = (one.args[0] for one in _of_positive_numbers(expression))
    return not any(_replaced(one, values).is_negative for one in inner)


def _replaced(expression: Any, values: Mapping[Any, Any]) -> Any:
    return expression.xreplace(dict(values)).doit()
