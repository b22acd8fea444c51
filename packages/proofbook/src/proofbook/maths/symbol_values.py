"""What a run says of letters: the values that its code and its output give to names, and formulas.

A name of the code is a letter of the maths: `y2` and `y_2` are y_2, `x[0]` is x_0, `loss` is L,
`lr` is lr, `momentum` is \\mu. Code is read, never run: only what this module knows means anything.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field
from functools import lru_cache, reduce

from proofbook.maths.expression import Name, Unknown, Value, at_any_place, changed, value
from proofbook.maths.latex import Tree

_NAMES = {"loss": "L", "weight": "w", "bias": "b", "momentum": "mu", "weight_decay": "lambda"}
_NAMES |= {"eps": "epsilon", "stride": "s", "padding": "p", "dilation": "d"}
_OPERATORS = {ast.Add: "+", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.MatMult: "dot"}
_MADE = {"tensor", "Parameter", "float", "as_tensor"}
_PASSED_ON = {"detach", "clone", "requires_grad_", "item", "double", "squeeze", "flatten"}
_FULL = {"ones": 1.0, "zeros": 0.0, "ones_": 1.0, "zeros_": 0.0, "zero_": 0.0}
_FUNCTIONS = {"sqrt": "sqrt", "log": "log", "abs": "abs", "norm": "norm", "sign": "sign"}
_LABEL = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z]\w*(?:\.[a-z]+)*)(?:\[(?P<index>\d)\])?\s*[:=]\s*"
    r"(?P<value>\(?\[?tensor\([^()]*\)|[-+]?\d[\d.e+-]*)"
)
_FIGURES = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)")


@dataclass(frozen=True)
class Known:
    """A value of a letter. `within`: how far it may be off, where the output is rounded."""

    value: Value
    within: float = 0.0
    place: int | None = None
    """Where the page says it, if it does."""


@dataclass
class Letters:
    """What a run knows.

    `gradients`: printed as `w.grad`; `made`: how the code computes a letter; `edited`: letters that
    it changes in place; `numbers`: all that stand in code or output; `formulas`: the marks of all
    expressions in the code (see algebra.py).
    """

    values: dict[Name, list[Known]] = field(default_factory=dict)
    gradients: dict[Name, list[Known]] = field(default_factory=dict)
    formulas: set[float] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    edited: set[Name] = field(default_factory=set)
    made: dict[Name, list[Tree]] = field(default_factory=dict)

    def add(self, name: str, found: Value | None, within: float = 0.0, grad: bool = False) -> None:
        """Note a value, and the parts of a vector."""
        table = self.gradients if grad else self.values
        if found is None:
            return
        while isinstance(found, tuple) and len(found) == 1:
            (found,) = found
        known = table.setdefault(letter_of(name), [])
        if Known(found, within) not in known:
            known.append(Known(found, within))
        if isinstance(found, tuple):
            if len(set(found)) == 1 and not isinstance(found[0], tuple):
                self.add(name, found[0], within, grad)
            for place, one in enumerate(found):
                if not isinstance(one, tuple) and not name[-1].isdigit():
                    self.add(f"{name}_{place}", one, within, grad)


def letter_of(name: str) -> Name:
    """The letter of the maths that a name of the code stands for."""
    stem, digits = re.fullmatch(r"(.*?)_?(\d*)", name).groups()
    return _NAMES.get(stem, stem), ((digits,) if digits else ())


def together(several: list[Letters]) -> Letters:
    """What several runs know."""
    both = Letters()
    for one in several:
        for mine, theirs in (
            (both.values, one.values),
            (both.gradients, one.gradients),
            (both.made, one.made),
        ):
            for name, known in theirs.items():
                mine[name] = list(dict.fromkeys([*mine.get(name, []), *known]))
        both.formulas |= one.formulas
        both.numbers |= one.numbers
        both.edited |= one.edited
    return both


@lru_cache(maxsize=1024)
def letters_of(code: str, output: str) -> Letters:
    """What a script and its output know; of code that is no Python, only the output counts."""
    found = Letters()
    try:
        tree = ast.parse(code)
    except SyntaxError:
        tree = ast.Module([], [])
    _Script(found).read(tree)
    found.numbers.update(float(n) for n in _FIGURES.findall(f"{code}\n{output}"))
    for label in _LABEL.finditer(output):
        shown = label["value"]
        name, _, attribute = label["name"].rpartition(".")
        grad = attribute == "grad" and bool(name)
        name = name.rpartition(".")[2] if grad else label["name"].rpartition(".")[2]
        name += f"_{label['index']}" if label["index"] else ""
        digits = len(shown.partition(".")[2].rstrip(")],").rpartition(".")[2])
        rounded = re.search(r"\.\d{4}", shown)
        within = 0.5 * 10.0 ** -(4 if "tensor" in shown else digits) if rounded else 0.0
        numbers = tuple(map(float, _FIGURES.findall(shown.partition("requires")[0])))
        if numbers:
            found.add(name, numbers, within, grad)
    return found


class _Script:
    """Reads the assignments of a script from top to bottom, those in functions too."""

    def __init__(self, found: Letters):
        self.found = found
        self.made: dict[Name, Tree] = {}
        """Expressions of names that were computed from others."""
        self.numbers: dict[Name, Value] = {}

    def read(self, tree: ast.AST) -> None:
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assign(target, node.value)
            elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
                for item in node.iter.elts:
                    self.assign(node.target, item, several=True)
            elif isinstance(node, ast.Call):
                self.call(node)
                self.formula(node)
            elif isinstance(node, ast.Dict):
                for key, item in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and str(key.value).isidentifier():
                        self.assign(ast.Name(str(key.value)), item)
            elif isinstance(node, ast.BinOp | ast.UnaryOp):
                self.formula(node)
            self.read(node)

    def assign(self, target: ast.expr, given: ast.expr, several: bool = False) -> None:
        if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple | ast.List):
            for one, other in zip(target.elts, given.elts, strict=False):
                self.assign(one, other, several)
        if not isinstance(target, ast.Name | ast.Attribute):
            return
        name = target.id if isinstance(target, ast.Name) else target.attr
        if (tree := self.tree(given)) is None:
            self.made.pop(letter_of(name), None)
            return
        if isinstance(tree, tuple) and tree[0] != "tuple":
            self.made[letter_of(name)] = changed(tree, self.inlined)
            self.found.made.setdefault(letter_of(name), []).append(tree)
        elif isinstance(tree, float) and isinstance(given, ast.Constant):
            self.made[letter_of(name)] = tree
        else:
            self.made.pop(letter_of(name), None)
        with_value = self.value(tree)
        if with_value is not None:
            self.numbers[letter_of(name)] = with_value
            self.found.add(name, with_value)

    def call(self, node: ast.Call) -> None:
        """Values that a call gives to names: lr=0.1, w.fill_(3.0), init.constant_(fc.weight, 3)."""
        for keyword in node.keywords:
            if keyword.arg and (tree := self.tree(keyword.value)) is not None:
                self.found.add(keyword.arg, self.value(tree))
        if not isinstance(node.func, ast.Attribute):
            return
        method, of = node.func.attr, node.func.value
        if method in ("fill_", "copy_") and node.args:
            if (tree := self.tree(node.args[0])) is not None:
                self.found.add(_last(of), self.value(tree))
        elif method in ("mul_", "add_", "sub_", "div_"):
            self.found.edited.add(letter_of(_last(of)))
        elif method == "constant_" and (tree := self.tree(node.args[-1])) is not None:
            self.found.add(_last(node.args[0]), self.value(tree))

    def formula(self, node: ast.expr) -> None:
        """Note the mark of an expression: as it is written, and with what its names stand for."""
        if (tree := self.tree(node)) is None:
            return
        for one in (tree, changed(tree, self.inlined)):
            try:
                mark = at_any_place(one)
            except Unknown:
                continue
            if isinstance(mark, float):
                self.found.formulas.add(round_mark(mark))

    def inlined(self, tree: Tree) -> Tree | None:
        if isinstance(tree, tuple) and tree[0] == "letter":
            name = (tree[1], tree[2])
            return self.made.get(name)
        return None

    def value(self, tree: Tree) -> Value | None:
        try:
            return value(tree, self.numbers.__getitem__)
        except (Unknown, KeyError):
            return None

    def tree(self, node: ast.expr) -> Tree | None:
        """The expression tree of code, or None where it says more than this module knows."""
        if isinstance(node, ast.Constant):
            number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
            return float(node.value) if number else None
        if isinstance(node, ast.Name):
            return ("letter", *letter_of(node.id))
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
            plain = isinstance(one, tuple) and one[0] == "letter" and not one[2]
            return ("letter", one[1], (str(node.slice.value),)) if plain else None
        if isinstance(node, ast.IfExp):  # w.detach() if cut else w: the same value
            one, other = self.tree(node.body), self.tree(node.orelse)
            return one if one == other else None
        return self.made_by_call(node) if isinstance(node, ast.Call) else None

    def made_by_call(self, node: ast.Call) -> Tree | None:
        name = _last(node.func)
        method = isinstance(node.func, ast.Attribute) and _last(node.func.value) not in (
            "torch",
            "nn",
            "math",
        )
        if name == "mse" and len(node.args) == 2:  # of two numbers, as the means are of one
            one, other = map(self.tree, node.args)
            return None if None in (one, other) else ("^", ("+", one, ("neg", other)), 2.0)
        if name in _MADE and node.args:
            return self.tree(node.args[0])
        if name in _FULL and not method:
            size = node.args[0].value if node.args and _is_count(node.args) else 1
            return ("tuple", (_FULL[name],) * size) if size > 1 else _FULL[name]
        if name == "full" and len(node.args) == 2:
            return self.tree(node.args[1])
        if method and name in _PASSED_ON:
            return self.tree(node.func.value)
        if method and name == "sum" and not node.args:
            one = self.tree(node.func.value)
            size = self.numbers.get(one[1:]) if isinstance(one, tuple) else None
            if one is None or one[0] != "letter" or not isinstance(size, tuple):
                return None
            items = [("letter", one[1], (str(place),)) for place in range(len(size))]
            return reduce(lambda total, item: ("+", total, item), items)
        if name in _FUNCTIONS:
            inner = node.func.value if method else node.args[0] if node.args else None
            one = None if inner is None else self.tree(inner)
            return None if one is None else ("call", _FUNCTIONS[name], (one,))
        return None


def round_mark(mark: float) -> float:
    """A mark without the last digits, which depend on the order of the operations."""
    if mark == 0 or not math.isfinite(mark):
        return mark
    return float(f"{mark:.9e}")


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "_")


def _is_count(arguments: list[ast.expr]) -> bool:
    """Whether these are the arguments of a vector of a few numbers."""
    one = arguments[0]
    small = isinstance(one, ast.Constant) and isinstance(one.value, int) and one.value <= 16
    return small and len(arguments) == 1
