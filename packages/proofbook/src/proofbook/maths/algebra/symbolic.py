"""Expression trees to SymPy's expressions and back, and derivatives taken there.

SymPy is imported by the functions that need it: it takes half a second, and most pages do without.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from proofbook.maths.algebra.expression import (
    Arithmetic,
    NotEvaluated,
    Symbol,
    Value,
    evaluate,
    replace,
    symbols,
)
from proofbook.maths.algebra.latex import Tree

if TYPE_CHECKING:
    import sympy

UNDECIDED_BY_SYMPY = (ArithmeticError, NotImplementedError, RecursionError, TypeError, ValueError)
"""What SymPy raises where it does not know an answer."""
_FUNCTIONS = ("sqrt", "log", "exp", "sin", "cos", "tanh", "floor", "sign")


def to_sympy(tree: Tree, values: Mapping[Symbol, Any]) -> Value:
    """The tree as an expression of SymPy, or a tuple of them for a vector.

    `values`: the expression of SymPy for each symbol. Decimals become exact fractions. Raises
    `NotEvaluated`, also where the result is infinite or undefined.
    """
    import sympy

    found = evaluate(without_claims(tree), values.__getitem__, _arithmetic())
    for one in flat(found):
        if one.has(sympy.nan, sympy.zoo, sympy.oo, sympy.S.NegativeInfinity):
            raise NotEvaluated("a division by 0")
    return found


def real_symbols(*trees: Tree) -> dict[Symbol, sympy.Symbol]:
    """A real symbol of SymPy for each symbol of the trees."""
    import sympy

    names = sorted(set().union(*map(symbols, trees)))
    return {name: sympy.Symbol(f"{name[0]}[{','.join(name[1])}]", real=True) for name in names}


def derivative(tree: Tree, by: Symbol, order: int = 1) -> Tree:
    """The derivative of an expression without sums; raises `NotEvaluated`."""
    if isinstance(tree, tuple) and tree[0] == "tuple":
        raise NotEvaluated("the derivative of a vector")
    names = real_symbols(tree)
    if by not in names:
        return 0.0
    expression = to_sympy(tree, names)
    if isinstance(expression, tuple):
        raise NotEvaluated("the derivative of a vector")
    try:
        found = expression.diff(names[by], order)
    except UNDECIDED_BY_SYMPY as error:
        raise NotEvaluated(str(error)) from None
    return _from_sympy(found, {one: name for name, one in names.items()})


def without_claims(tree: Tree) -> Tree:
    """The tree without the texts below its braces, which are equalities of their own."""

    def change(one: Tree) -> Tree | None:
        claim = isinstance(one, tuple) and one[0] == "claim"
        return without_claims(one[1]) if claim else None

    return replace(tree, change)


def flat(value: Value) -> list[Any]:
    """The numbers of a value: those of a vector one after another."""
    if isinstance(value, tuple):
        return [one for item in value for one in flat(item)]
    return [value]


def _arithmetic() -> Arithmetic:
    import sympy

    return Arithmetic(
        number=_exact,
        divide=lambda one, other: one / other,
        power=lambda one, other: one**other,
        functions={
            **{name: getattr(sympy, name) for name in _FUNCTIONS},
            "abs": sympy.Abs,
            "min": sympy.Min,
            "max": sympy.Max,
        },
        choose=lambda cases: sympy.Piecewise(*((value(), holds) for holds, value in cases)),
        relations={
            "<": sympy.Lt,
            "<=": sympy.Le,
            ">": sympy.Gt,
            ">=": sympy.Ge,
            "!=": sympy.Ne,
            "=": sympy.Eq,
        },
        all_of=lambda conditions: sympy.And(*conditions),
    )


def _exact(number: float) -> Any:
    """A number of a tree: the decimal that was written, a fraction, or a constant."""
    import sympy

    constants = {math.e: sympy.E, math.pi: sympy.pi, math.inf: sympy.oo}
    if number in constants:
        return constants[number]
    if math.isnan(number):
        return sympy.nan
    return sympy.Rational(repr(float(number)))


def _from_sympy(expression: Any, names: Mapping[Any, Symbol]) -> Tree:
    """The tree of an expression of SymPy whose symbols are among `names`."""
    import sympy

    def read(one: Any) -> Tree:
        return _from_sympy(one, names)

    if expression in names:
        return ("symbol", *names[expression])
    if expression.is_Rational:
        whole = float(expression.p)
        return whole if expression.q == 1 else ("/", whole, float(expression.q))
    constants = {sympy.E: math.e, sympy.pi: math.pi}
    if expression in constants:
        return constants[expression]
    arguments = expression.args
    if isinstance(expression, sympy.Add | sympy.Mul):
        kind = "+" if expression.is_Add else "*"
        first, *others = map(read, arguments)
        for other in others:
            first = (kind, first, other)
        return first
    if isinstance(expression, sympy.Pow | sympy.exp):
        base, exponent = expression.as_base_exp()
        return ("^", read(base), read(exponent))
    if isinstance(expression, sympy.Heaviside):
        # The derivative of max(w, 0) doesn't exist at 0.
        above, below = (">", read(arguments[0]), 0.0), ("<", read(arguments[0]), 0.0)
        return ("cases", (1.0, 0.0), (above, below))
    if isinstance(expression, sympy.Piecewise):
        values, conditions = zip(*arguments, strict=True)
        return ("cases", tuple(map(read, values)), tuple(map(read, conditions)))
    if isinstance(expression, sympy.core.relational.Relational):
        sign = {"==": "="}.get(expression.rel_op, expression.rel_op)
        return (sign, *map(read, arguments))
    if expression == sympy.true:
        return ("and", ())
    name = {"Abs": "abs", "Max": "max", "Min": "min"}.get(type(expression).__name__)
    name = name or (type(expression).__name__ if type(expression).__name__ in _FUNCTIONS else None)
    if name is None:
        raise NotEvaluated(f"{expression} in a derivative")
    return ("call", name, tuple(map(read, arguments)))
