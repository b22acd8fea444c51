"""The code of a snippet as expression trees: what it computes, and from which values."""

from __future__ import annotations

import ast
from functools import reduce

from proofbook.api.index import NOT_PYTHON
from proofbook.maths.algebra.expression import NotEvaluated, Symbol, Value, evaluate, replace
from proofbook.maths.algebra.latex import Tree
from proofbook.maths.symbol_values import SymbolValues, signed_numbers, symbol_of

_OPERATORS = {ast.Add: "+", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.MatMult: "dot"}
_MAKES_TENSOR = {"tensor", "Parameter", "float", "as_tensor"}
_SAME_VALUE = {"detach", "clone", "requires_grad_", "item", "double", "squeeze", "flatten"}
_FILLED_WITH = {"ones": 1.0, "zeros": 0.0, "ones_": 1.0, "zeros_": 0.0, "zero_": 0.0}
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator)
_FUNCTIONS = {"sqrt": "sqrt", "log": "log", "abs": "abs", "norm": "norm", "sign": "sign"}


def read_run(code: str, output: str) -> SymbolValues:
    """What a script and its output say of symbols; of code that is no Python, only the output."""
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
    """Reads the assignments of a script from top to bottom, those in functions too.

    `found`: what was read; `expressions`: for each name that was computed from others, how;
    `numbers`: the last value of each name that has one.
    """

    def __init__(self, found: SymbolValues):
        self.found = found
        self.expressions: dict[Symbol, Tree] = {}
        self.numbers: dict[Symbol, Value] = {}

    def read_statements(self, tree: ast.AST) -> None:
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assign(target, node.value)
            elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
                for item in node.iter.elts:
                    self.assign(node.target, item, several=True)
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

    def assign(self, target: ast.expr, given: ast.expr, several: bool = False) -> None:
        if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple | ast.List):
            for one, other in zip(target.elts, given.elts, strict=False):
                self.assign(one, other, several)
        if not isinstance(target, ast.Name | ast.Attribute):
            return
        name = target.id if isinstance(target, ast.Name) else target.attr
        if (tree := self.tree(given)) is None:
            self.expressions.pop(symbol_of(name), None)
            return
        if isinstance(tree, tuple) and tree[0] != "tuple":
            self.expressions[symbol_of(name)] = replace(tree, self.inline)
            self.found.expressions.setdefault(symbol_of(name), []).append(tree)
        elif isinstance(tree, float) and isinstance(given, ast.Constant):
            self.expressions[symbol_of(name)] = tree
        else:
            self.expressions.pop(symbol_of(name), None)
        value = self.value(tree)
        if value is not None:
            self.numbers[symbol_of(name)] = value
            self.found.add(name, value)

    def read_call(self, node: ast.Call) -> None:
        """Values that a call gives to names: lr=0.1, w.fill_(3.0), init.constant_(fc.weight, 3)."""
        for keyword in node.keywords:
            if keyword.arg and (tree := self.tree(keyword.value)) is not None:
                self.found.add(keyword.arg, self.value(tree))
        if not isinstance(node.func, ast.Attribute):
            return
        method, of = node.func.attr, node.func.value
        if method in ("fill_", "copy_") and node.args:
            if (tree := self.tree(node.args[0])) is not None:
                self.found.add(_last_name(of), self.value(tree))
        elif method in ("mul_", "add_", "sub_", "div_"):
            self.found.edited.add(symbol_of(_last_name(of)))
        elif method == "constant_" and (tree := self.tree(node.args[-1])) is not None:
            self.found.add(_last_name(node.args[0]), self.value(tree))

    def note_expression(self, node: ast.expr) -> None:
        """Note an expression: as it is written, and with what its names stand for."""
        if (tree := self.tree(node)) is not None:
            self.found.add_computed(tree)
            self.found.add_computed(replace(tree, self.inline))

    def inline(self, tree: Tree) -> Tree | None:
        if isinstance(tree, tuple) and tree[0] == "symbol":
            name = (tree[1], tree[2])
            return self.expressions.get(name)
        return None

    def value(self, tree: Tree) -> Value | None:
        try:
            return evaluate(tree, self.numbers.__getitem__)
        except (NotEvaluated, KeyError):
            return None

    def tree(self, node: ast.expr) -> Tree | None:
        """The expression tree of code, or None where it says more than this module knows."""
        if isinstance(node, ast.Constant):
            number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
            return float(node.value) if number else None
        if isinstance(node, ast.Name):
            return ("symbol", *symbol_of(node.id))
        if isinstance(node, ast.Tuple | ast.List):
            items = [self.tree(item) for item in node.elts]
            return None if None in items or not items else ("tuple", tuple(items))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            one = self.tree(node.operand)
            return None if one is None else -one if isinstance(one, float) else ("neg", one)
        if isinstance(node, ast.BinOp):
            one, other = self.tree(node.left), self.tree(node.right)
            if one is None or other is None:
                return None
            if isinstance(node.op, ast.Sub):
                return ("+", one, ("neg", other))
            operator = _OPERATORS.get(type(node.op))
            return (operator, one, other) if operator else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            one = self.tree(node.value)
            plain = isinstance(one, tuple) and one[0] == "symbol" and not one[2]
            return ("symbol", one[1], (str(node.slice.value),)) if plain else None
        if isinstance(node, ast.IfExp):  # w.detach() if cut else w: the same value
            one, other = self.tree(node.body), self.tree(node.orelse)
            return one if one == other else None
        return self.tree_of_call(node) if isinstance(node, ast.Call) else None

    def tree_of_call(self, node: ast.Call) -> Tree | None:
        name = _last_name(node.func)
        method = isinstance(node.func, ast.Attribute) and _last_name(node.func.value) not in (
            "torch",
            "nn",
            "math",
        )
        if name == "mse" and len(node.args) == 2:  # of two numbers, as the means are of one
            one, other = map(self.tree, node.args)
            return None if None in (one, other) else ("^", ("+", one, ("neg", other)), 2.0)
        if name in _MAKES_TENSOR and node.args:
            return self.tree(node.args[0])
        if name in _FILLED_WITH and not method:
            size = node.args[0].value if node.args and _is_count(node.args) else 1
            return ("tuple", (_FILLED_WITH[name],) * size) if size > 1 else _FILLED_WITH[name]
        if name == "full" and len(node.args) == 2:
            return self.tree(node.args[1])
        if method and name in _SAME_VALUE:
            return self.tree(node.func.value)
        if method and name == "sum" and not node.args:
            one = self.tree(node.func.value)
            size = self.numbers.get(one[1:]) if isinstance(one, tuple) else None
            if one is None or one[0] != "symbol" or not isinstance(size, tuple):
                return None
            items = [("symbol", one[1], (str(place),)) for place in range(len(size))]
            return reduce(lambda total, item: ("+", total, item), items)
        if name in _FUNCTIONS:
            inner = node.func.value if method else node.args[0] if node.args else None
            one = None if inner is None else self.tree(inner)
            return None if one is None else ("call", _FUNCTIONS[name], (one,))
        return None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "_")


def _is_count(arguments: list[ast.expr]) -> bool:
    """Whether these are the arguments of a vector of a few numbers."""
    one = arguments[0]
    small = isinstance(one, ast.Constant) and isinstance(one.value, int) and one.value <= 16
    return small and len(arguments) == 1
