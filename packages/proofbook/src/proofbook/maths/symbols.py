"""The values of symbols in a run: the values of names in its code and output.

A name of the code is a symbol of the maths: `y2` and `y_2` are y_2, `x[0]` is x_0, `loss` is L,
`lr` is lr, `momentum` is \\mu. Code is read, never run.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from proofbook.api.index import NOT_PYTHON
from proofbook.maths.read import Unreadable, is_special, power, special, symbol

if TYPE_CHECKING:
    from sympy import Basic, Expr, Symbol

Value = Any
"""A float, or a vector: an array of NumPy."""

_NAMES = {"loss": "L", "weight": "w", "bias": "b", "momentum": "mu", "weight_decay": "lambda"}
_NAMES |= {"eps": "epsilon", "stride": "s", "padding": "p", "dilation": "d"}
_LABEL = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z]\w*(?:\.[a-z]+)*)(?:\[(?P<index>\d)\])?\s*[:=]\s*"
    r"(?P<value>\(?\[?tensor\([^()]*\)|[-+]?\d[\d.e+-]*)"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)")
_MAKES_TENSOR = {"tensor", "Parameter", "float", "as_tensor"}
_SAME_VALUE = {"detach", "clone", "requires_grad_", "item", "double", "squeeze", "flatten"}
_FILLED_WITH = {"ones": 1, "zeros": 0, "ones_": 1, "zeros_": 0, "zero_": 0}
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator)
_FUNCTIONS = {"sqrt": "sqrt", "log": "log", "abs": "Abs", "norm": "norm", "sign": "sign"}


class NotEvaluated(Exception):
    """The expression has no value: a symbol has none, or the value is not a real number."""


def evaluate(expression: Basic, values: Mapping[Symbol, Value]) -> Value:
    """The value of an expression with these values of its symbols, in floating point.

    Raises `NotEvaluated`, but not for infinity or nan.
    """
    import numpy

    try:
        with numpy.errstate(all="ignore"):
            return _evaluated(expression, values)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise NotEvaluated(str(error)) from None


def _evaluated(one: Basic, values: Mapping[Symbol, Value]) -> Value:
    import numpy
    import sympy

    if one.is_Symbol:
        return values[one]
    if not one.args:
        return bool(one) if one.is_Boolean else numpy.float64(one)
    if one.is_Piecewise:  # of a derivative
        holding = (value for value, when in one.args if _evaluated(when, values))
        return _evaluated(next(holding, sympy.nan), values)
    items = [_evaluated(item, values) for item in one.args]
    name = one.func.__name__
    if one.is_Relational:
        return one.func(*items) == True  # noqa: E712  SymPy's true is not a bool
    if name == "And":
        return all(items)
    if is_special(one, "vector"):
        return numpy.array(items, dtype=float)
    if is_special(one, "norm"):
        return numpy.sqrt(numpy.sum(items[0] * items[0]))
    vectors = sum(numpy.ndim(item) > 0 for item in items)
    if (one.is_Mul and vectors > 1) or (one.is_Pow and vectors and numpy.ndim(items[0]) > 1):
        raise ValueError("a product of vectors: which one?")
    if one.is_Add or one.is_Mul:
        return functools.reduce(numpy.add if one.is_Add else numpy.multiply, items)
    if one.is_Pow:
        return numpy.power(*items)
    if name in ("Max", "Min"):
        return functools.reduce(numpy.maximum if name == "Max" else numpy.minimum, items)
    return getattr(numpy, name.lower())(*items)


def agree(one: Value, other: Value, within: float = 0.0) -> bool:
    """Whether two values agree: exactly within float precision, or within some distance."""
    import numpy

    if numpy.shape(one) != numpy.shape(other):
        return False
    with numpy.errstate(all="ignore"):
        near = numpy.isclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
        return bool(numpy.all(near | (abs(one - other) <= within * (1 + 1e-6))))


@dataclass(frozen=True, eq=False)
class KnownValue:
    """A value of a symbol. `within`: its tolerance, if the output is rounded.

    `place`: its place on the page, or None if it is from a run.
    """

    value: Value
    within: float = 0.0
    place: int | None = None


@dataclass
class SymbolValues:
    """The values of symbols in a run.

    `values`: of w, and as "grad w" the printed values of `w.grad`; `expressions`: the code's
    formula for a symbol; `computed`: all expressions in the code; `numbers`: all numbers in code or
    output; `edited`: symbols that the code changes in place.
    """

    values: dict[Symbol, list[KnownValue]] = field(default_factory=dict)
    expressions: dict[Symbol, list[Expr]] = field(default_factory=dict)
    computed: dict[Expr, None] = field(default_factory=dict)
    numbers: set[float] = field(default_factory=set)
    edited: set[Symbol] = field(default_factory=set)

    def add(self, name: str, value: Value | None, within: float = 0.0) -> None:
        """Note a value of a name, and the items of a vector."""
        import numpy

        if value is None:
            return
        value = numpy.squeeze(value)[()]
        known = self.values.setdefault(symbol_of(name), [])
        if not any(agree(one.value, value) and one.within == within for one in known):
            known.append(KnownValue(value, within))
        if numpy.ndim(value) == 1:
            if len(set(value)) == 1:
                self.add(name, value[0], within)
            for place, one in enumerate(value if not name[-1].isdigit() else ()):
                self.add(f"{name}_{place}", one, within)

    def add_output(self, output: str) -> None:
        """Note the values that an output prints with a name: `w: 3.0`, `w.grad: tensor(2.)`."""
        for label in _LABEL.finditer(output):
            shown = label["value"]
            name, _, attribute = label["name"].rpartition(".")
            of_grad = attribute == "grad" and name
            name = f"grad {name.rpartition('.')[2]}" if of_grad else attribute
            name += f"_{label['index']}" if label["index"] else ""
            digits = len(shown.partition(".")[2].rstrip(")],").rpartition(".")[2])
            rounded = re.search(r"\.\d{4}", shown)
            within = 0.5 * 10.0 ** -(4 if "tensor" in shown else digits) if rounded else 0.0
            if numbers := signed_numbers(shown.partition("requires")[0]):
                self.add(name, numbers, within)


def symbol_of(name: str) -> Symbol:
    """The mathematical symbol for a name of the code."""
    grad, stem, digits = re.fullmatch(r"(grad |)(.*?)_?(\d*)", name).groups()
    return symbol(grad + _NAMES.get(stem, stem), *([digits] if digits else []))


def signed_numbers(text: str) -> list[float]:
    """The numbers of a code or output, with their signs."""
    return [float(number) for number in _NUMBER.findall(text)]


def merge(several: Iterable[SymbolValues]) -> SymbolValues:
    """The values of several runs, without their expressions, which depend on places."""
    merged = SymbolValues()
    for one in several:
        for name, known in one.values.items():
            merged.values.setdefault(name, []).extend(known)
        merged.computed |= one.computed
        merged.numbers |= one.numbers
        merged.edited |= one.edited
    return merged


@lru_cache(maxsize=512)  # pages in several languages show the same runs
def read_run(code: str, output: str) -> SymbolValues:
    """The values of symbols in a script, if it is valid Python, and in its output."""
    found = SymbolValues()
    try:
        tree = ast.parse(code)
    except NOT_PYTHON:
        tree = ast.Module([], [])
    _Script(found).read_statements(tree)
    found.numbers.update(signed_numbers(f"{code}\n{output}"))
    found.add_output(output)
    return found


class _Script:
    """Reads the assignments of a script from top to bottom, including those in functions.

    `found`: the result; `expressions`: the formula of each name computed from others; `numbers`:
    the last value of each name that has one.
    """

    def __init__(self, found: SymbolValues):
        self.found = found
        self.expressions: dict[Symbol, Expr] = {}
        self.numbers: dict[Symbol, Value] = {}

    def read_statements(self, tree: ast.AST) -> None:
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assign(target, node.value)
            elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
                for item in node.iter.elts:
                    self.assign(node.target, item)
            elif isinstance(node, ast.Call):
                self.read_call(node)
                self.note_expression(node)
            elif isinstance(node, ast.Dict):
                for key, item in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and str(key.value).isidentifier():
                        self.assign(ast.Name(str(key.value)), item)
            elif isinstance(node, ast.BinOp | ast.UnaryOp):
                self.note_expression(node)
            if not isinstance(node, _LEAVES):
                self.read_statements(node)

    def assign(self, target: ast.expr, given: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple | ast.List):
            for one, other in zip(target.elts, given.elts, strict=False):
                self.assign(one, other)
        if not isinstance(target, ast.Name | ast.Attribute):
            return
        name = symbol_of(target.id if isinstance(target, ast.Name) else target.attr)
        self.expressions.pop(name, None)
        if (tree := self.tree(given)) is None:
            return
        if tree.free_symbols:
            self.expressions[name] = tree.xreplace(self.expressions)
            self.found.expressions.setdefault(name, []).append(tree)
        elif isinstance(given, ast.Constant):
            self.expressions[name] = tree
        if (value := self.value(tree)) is not None:
            self.numbers[name] = value
            self.found.add(target.id if isinstance(target, ast.Name) else target.attr, value)

    def read_call(self, node: ast.Call) -> None:
        """Values that a call assigns: lr=0.1, w.fill_(3.0), init.constant_(fc.weight, 3)."""
        for keyword in node.keywords:
            if keyword.arg:
                self.found.add(keyword.arg, self.value(self.tree(keyword.value)))
        if not isinstance(node.func, ast.Attribute):
            return
        method, of = node.func.attr, node.func.value
        if method in ("fill_", "copy_") and node.args:
            self.found.add(_last_name(of), self.value(self.tree(node.args[0])))
        elif method in ("mul_", "add_", "sub_", "div_"):
            self.found.edited.add(symbol_of(_last_name(of)))
        elif method == "constant_" and node.args:
            self.found.add(_last_name(node.args[0]), self.value(self.tree(node.args[-1])))

    def note_expression(self, node: ast.expr) -> None:
        """Note an expression: as written, and with its names substituted."""
        if (tree := self.tree(node)) is not None:
            self.found.computed[tree] = None
            self.found.computed[tree.xreplace(self.expressions)] = None

    def value(self, tree: Expr | None) -> Value | None:
        try:
            return None if tree is None else evaluate(tree, self.numbers)
        except NotEvaluated:
            return None

    def tree(self, node: ast.expr) -> Expr | None:
        """The expression of code, or None if it contains unsupported code."""
        import sympy

        if isinstance(node, ast.Constant):
            number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
            return (
                sympy.Rational(repr(node.value)) if number and math.isfinite(node.value) else None
            )
        if isinstance(node, ast.Name):
            return symbol_of(node.id)
        if isinstance(node, ast.Tuple | ast.List):
            items = [self.tree(item) for item in node.elts]
            return special("vector", *items) if items and None not in items else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            one = self.tree(node.operand)
            return None if one is None else -one
        if isinstance(node, ast.BinOp):
            one, other = self.tree(node.left), self.tree(node.right)
            return None if one is None or other is None else _operation(node.op, one, other)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            one = self.tree(node.value)
            plain = one is not None and one.is_Symbol and "[" not in one.name
            return symbol(one.name, str(node.slice.value)) if plain else None
        if isinstance(node, ast.IfExp):  # w.detach() if cut else w: the same value
            one, other = self.tree(node.body), self.tree(node.orelse)
            return one if one == other else None
        return self.tree_of_call(node) if isinstance(node, ast.Call) else None

    def tree_of_call(self, node: ast.Call) -> Expr | None:
        import sympy

        name, arguments = _last_name(node.func), node.args
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        method = owner is not None and _last_name(owner) not in ("torch", "nn", "math")
        if name == "mse" and len(arguments) == 2:  # of two numbers, as the means are of one
            one, other = map(self.tree, arguments)
            return None if one is None or other is None else (one - other) ** 2
        if name in _MAKES_TENSOR and arguments:
            return self.tree(arguments[0])
        if name in _FILLED_WITH and not method:
            size = getattr(arguments[0], "value", None) if len(arguments) == 1 else None
            filled = sympy.Integer(_FILLED_WITH[name])
            several = isinstance(size, int) and 1 < size <= 16
            return special("vector", *[filled] * size) if several else filled
        if name == "full" and len(arguments) == 2:
            return self.tree(arguments[1])
        if method and name in _SAME_VALUE:
            return self.tree(owner)
        if method and name == "sum" and not arguments:
            one = self.tree(owner)
            size = getattr(self.numbers.get(one), "size", 1)
            plain = one is not None and one.is_Symbol and size > 1
            return sum(symbol(one.name, str(at)) for at in range(size)) if plain else None
        if name in _FUNCTIONS:
            one = self.tree(owner if method else arguments[0]) if method or arguments else None
            if one is None:
                return None
            return special("norm", one) if name == "norm" else getattr(sympy, _FUNCTIONS[name])(one)
        return None


def _operation(operator: ast.operator, one: Expr, other: Expr) -> Expr | None:
    if isinstance(operator, ast.Add):
        return one + other
    if isinstance(operator, ast.Sub):
        return one - other
    if isinstance(operator, ast.Mult):
        return one * other
    if isinstance(operator, ast.Div) and other != 0:
        return one / other
    if isinstance(operator, ast.Pow) and other.is_Rational and (one != 0 or other > 0):
        with contextlib.suppress(Unreadable):
            return power(one, other)
    return None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "_")
