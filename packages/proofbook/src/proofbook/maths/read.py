"""LaTeX to SymPy.

`latex2sympy2-extended` reads the arithmetic. Notation that it doesn't read, or reads
differently from the pages (names of several letters, vectors, derivatives, sums to nowhere, cases),
is read here and passed to it as a letter: so is a number, since it caches the meaning of a form,
and text in brackets, as each level takes a tenth of a second. A product is passed to it with its
sign: it mistakes 1/2 x for 1/(2x), and 2 1/2 for 2.5.

SymPy is imported where it is needed: with the grammar it takes half a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Basic, Expr, Symbol

LONGEST = 600
"""The maximum number of characters of an expression that is read, so that none takes a second."""
_DEEPEST = 30
"""The maximum depth of nested brackets."""
_MOST_DIGITS = 1000
"""The maximum number of digits of a power."""
_LONGEST_SUM = 100

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\\[A-Za-z]+|\\.|\S")
_LAYOUT = re.compile(r"\\(?:[,;!: ]|(?:left|right|displaystyle|[bB]igg?[lr]?)(?![A-Za-z]))|[&~]")
_MATRIX = re.compile(r"\\begin\{(pmatrix|bmatrix)\}(.*?)\\end\{\1\}", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}", r"\{": r"\}"}
_BARS = {"|": "|", r"\lvert": r"\rvert", r"\lVert": r"\rVert", r"\|": r"\|"}
_GREEK = re.compile(
    r"\\(?:alpha|beta|gamma|[dD]elta|(?:var)?epsilon|eta|theta|lambda|mu|rho|sigma|tau|phi)"
)
_LETTERS = "abcfghjklmnopqrstuvwxyzABCFGHJKLMPQRTUVWXYZ"
"""Letters that the library reads, and fast: neither d nor e nor x_{10}."""
_ACCENTS = {r"\hat", r"\bar", r"\tilde", r"\Delta"}
_TEXT = {r"\text", r"\mathrm", r"\operatorname"}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_FUNCTIONS = {"sgn": "sign", "ln": "log", "relu": "Max", "ReLU": "Max", "max": "Max", "min": "Min"}
_FUNCTIONS |= {name: name for name in ("sign", "log", "exp", "sin", "cos", "tanh")}
_OPERATORS = {"+": "+", "-": "-", "/": "/", "*": r"\cdot", r"\times": r"\cdot", r"\cdot": r"\cdot"}


class Unreadable(Exception):
    """The text is not an expression, or is in an unsupported notation."""


def special(name: str, *arguments: Any) -> Expr:
    """A part of an expression that SymPy does not compute with: a function without a rule.

    "vector" of items; "norm" of one; "derivative" of an expression by a symbol, of an order; "sum"
    of an expression over an index, from a number to one (or to a symbol: nowhere).
    """
    import sympy

    return sympy.Function(name)(*arguments)


def is_special(expression: Basic, *names: str) -> bool:
    """Whether this is a part of one of these kinds."""
    return expression.is_Function and expression.func.__name__ in names


def symbol(name: str, *indices: str) -> Symbol:
    """A real symbol: w, or x[i,j] for x_{ij}."""
    import sympy

    return sympy.Symbol(f"{name}[{','.join(indices)}]" if indices else name, real=True)


def parts(one: Symbol) -> tuple[str, tuple[str, ...]]:
    """The name and the indices of a symbol."""
    name, _, indices = one.name.rstrip("]").partition("[")
    return name, tuple(indices.split(",")) if indices else ()


def rebuild(expression: Basic, change: Callable[[Basic], Basic]) -> Basic:
    """The expression with a function applied to its arguments; unchanged if none changes."""
    changed = tuple(map(change, expression.args))
    return expression if changed == expression.args else expression.func(*changed)


def expand_sums(expression: Expr, indices: Mapping[str, str], longest: int = _LONGEST_SUM) -> Expr:
    """The expression with sums as additions, with numbers for its free indices.

    A sum without an upper bound has three terms.
    """
    if expression.is_Symbol:
        name, some = parts(expression)
        return symbol(name, *(indices.get(index, index) for index in some))
    if is_special(expression, "sum"):
        body, index, first, last = expression.args
        first, last = (0, 2) if last.is_Symbol else (first, last)
        terms = int(last - first) + 1
        if terms > longest:
            raise Unreadable("a long sum")
        return sum(
            expand_sums(body, {**indices, index.name: str(first + at)}, longest // terms)
            for at in range(terms)
        )
    return rebuild(expression, lambda one: expand_sums(one, indices, longest))


def power(base: Expr, exponent: Expr) -> Expr:
    """The power; raises `Unreadable` for a number with too many digits."""
    import sympy

    if base.is_Rational and exponent.is_Rational and base not in (-1, 0, 1):
        digits = sympy.log(max(abs(base.p), base.q), 10).evalf() * abs(exponent)
        if digits > _MOST_DIGITS:
            raise Unreadable("a number with too many digits")
    return base**exponent


def read_latex(text: str, functions: frozenset[str] = frozenset()) -> Expr:
    """The expression; raises `Unreadable`. A comma or a full stop may follow it.

    `functions`: names of which f(x) is not a product: nothing is computed with it.
    """
    return _Reader(_tokens(text), functions).read_all()


def _tokens(text: str) -> list[str]:
    """The tokens without layout; a row of a matrix ends with "@", a column with ","."""
    if len(text) > LONGEST:
        raise Unreadable("too long")

    text = re.sub(r"(?<=\d)(?:\\,|\{,\})(?=\d{3})", "", text)  # 1{,}000
    text = re.sub(r"(\d+(?:\.\d+)?) ?\\%", r"\\frac{\1}{100}", text)
    text = re.sub(r"(\\[td]?frac) *(\d)(?=\d)", r"\1{\2}", text)  # \frac12
    text = _MATRIX.sub(lambda m: f"({m[2].replace('&', ',').replace(chr(92) * 2, '@')})", text)
    text = _LAYOUT.sub(" ", text)
    return _TOKEN.findall(text.rstrip(" \n.,\\"))


def _depths(tokens: list[str]) -> list[int]:
    """The number of open brackets at each token: an opening one counts as outside of itself."""
    depth, depths = 0, []
    for token in tokens:
        depth -= token in _CLOSING.values()
        depths.append(depth)
        depth += token in _CLOSING
    return depths


def _split(tokens: list[str], separators: Any) -> list[list[str]]:
    """The tokens between separators outside of brackets."""
    found: list[list[str]] = [[]]
    for token, depth in zip(tokens, _depths(tokens), strict=True):
        if token in separators and not depth:
            found.append([])
        else:
            found[-1].append(token)
    return found


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Basic:
    """The library's tree of letters and signs: there are few, since all numbers are letters."""
    from latex2sympy2_extended.latex2sympy2 import ConversionConfig, latex2sympy

    as_written = ConversionConfig(lowercase_symbols=False)
    return latex2sympy(text, normalization_config=None, conversion_config=as_written)


class _Reader:
    """Reads tokens. `text`: the text for the library; `letters`: the meanings of letters in it."""

    def __init__(self, tokens: list[str], functions: frozenset[str], depth: int = 0):
        if depth > _DEEPEST:
            raise Unreadable("too deep")
        self.tokens, self.functions, self.depth = tokens, functions, depth
        self.at = 0
        self.letters: dict[str, Expr] = {}
        self.text: list[str] = []

    def read(self, tokens: list[str]) -> Expr:
        """Read a part by itself."""
        return _Reader(tokens, self.functions, self.depth + 1).read_all()

    def read_all(self) -> Expr:
        while self.at < len(self.tokens):
            self.hand_over(self.take())
        if len(self.text) == 1 and self.letters:
            return self.letters[self.text[0]]
        try:
            return self.computed(_parsed(" ".join(self.text)))
        except Unreadable:
            raise
        except Exception as error:  # the grammar raises no specific type
            raise Unreadable(str(error)) from None

    def computed(self, tree: Basic) -> Expr:
        """The library's unevaluated tree, computed and with the letters substituted."""
        import sympy

        if tree.is_Symbol:
            return self.letters[tree.name]
        if not tree.args:
            return tree
        arguments = list(map(self.computed, tree.args))
        if tree.is_Pow:
            return power(*arguments)
        if tree.is_Mul and any(one.is_zero for one in arguments):
            return sympy.Mul(*arguments, evaluate=False)  # 0 times infinity is not 0
        return tree.func(*arguments)

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.next
        if not token or wanted not in ("", token):
            raise Unreadable(f"{token} instead of {wanted}")
        self.at += 1
        return token

    def group(self) -> list[str]:
        """The content of the brackets that open here, or a single token."""
        opening = self.take()
        if opening not in _CLOSING:
            return [opening]
        rest = self.tokens[self.at :]
        end = next((at for at, depth in enumerate(_depths(rest)) if depth < 0), -1)
        if end < 0 or rest[end] != _CLOSING[opening]:
            raise Unreadable("a bracket that is not closed")
        self.at += end + 1
        return rest[:end]

    def argument(self) -> Expr:
        return self.read(self.group())

    def letter(self, expression: Expr) -> str:
        """A letter for an expression that was read."""
        if len(self.letters) == len(_LETTERS):
            raise Unreadable("too long")
        letter = _LETTERS[len(self.letters)]
        self.letters[letter] = expression
        return letter

    def hand_over(self, token: str) -> None:
        """Pass on an expression that begins with a token, multiplied with an operand before it."""
        if token in _OPERATORS:
            self.text.append(_OPERATORS[token])
        elif token == "^":
            self.text += ["^", "{", self.letter(self.argument()), "}"]
        else:
            if self.text and self.text[-1] not in {"^", *_OPERATORS.values()}:
                self.text.append(r"\cdot")
            self.text.append(self.letter(self.operand(token)))

    def operand(self, token: str) -> Expr:
        """A number, a symbol, or what a bracket, a function or a sign of a notation begins."""
        import sympy

        if token[0].isdigit():
            return sympy.Rational(token)
        if token in (r"\infty", r"\pi"):
            return sympy.oo if token == r"\infty" else sympy.pi
        if token in _CLOSING:
            self.at -= 1
            rows = [list(map(self.read, _split(row, ","))) for row in _split(self.group(), "@")]
            vectors = [special("vector", *row) if len(row) > 1 else row[0] for row in rows]
            return special("vector", *vectors) if len(vectors) > 1 else vectors[0]
        if token in _BARS:
            return self.in_bars(token)
        if token in _FRACTIONS:
            return self.fraction()
        if token == r"\sqrt":
            degree = self.argument() if self.next == "[" else 2
            return power(self.argument(), sympy.Integer(1) / degree)
        if token == r"\partial":
            return self.flat_derivative()
        if token == r"\sum":
            return self.summation()
        if token == r"\underbrace":  # the text below is a separate equality
            above = self.argument()
            self.take("_")
            self.group()
            return above
        if token in _TEXT:
            word = "".join(self.group())
            return sympy.nan if word == "nan" else self.named(word)
        if token in _ACCENTS and self.next:
            return self.named(f"{token[1:]} {''.join(self.group())}".replace("\\", ""))
        letter = len(token) == 1 and token.isascii() and token.isalpha()
        if letter or _GREEK.fullmatch(token) or token[1:] in _FUNCTIONS:
            return self.named(token.lstrip("\\"))
        raise Unreadable(token)

    def in_bars(self, opening: str) -> Expr:
        """The absolute value or norm: up to the first bar that can close it."""
        import sympy

        rest = self.tokens[self.at :]
        for end, depth in enumerate(_depths(rest)):
            before = rest[end - 1] if end else "+"
            if rest[end] == _BARS[opening] and not depth and before not in _OPERATORS:
                self.at += end + 1
                inside = self.read(rest[:end])
                return sympy.Abs(inside) if opening in "|\\lvert" else special("norm", inside)
        raise Unreadable(opening)

    def called(self, name: str) -> Expr:
        """A function of an argument in parentheses or of the next factor: sin^2 x, max(a, b)."""
        import sympy

        exponent = self.take() and self.argument() if self.next == "^" else None
        if self.next in ("(", r"\{"):
            items = list(map(self.read, _split(self.group(), ",")))
        else:
            items = [self.operand(self.take())]
            if self.next == "^":
                self.take()
                items = [power(items[0], self.argument())]
        if name in ("relu", "ReLU"):
            items.append(sympy.Integer(0))
        if len(items) > 1 and _FUNCTIONS[name] not in ("Max", "Min"):
            raise Unreadable(f"{name} of several numbers")
        found = getattr(sympy, _FUNCTIONS[name])(*items)
        return found if exponent is None else power(found, exponent)

    def named(self, name: str) -> Expr:
        """A function and its argument, or a symbol with its indices."""
        if name in _FUNCTIONS:
            return self.called(name)
        if name in self.functions and self.next in ("'", "("):
            raise Unreadable("a function of the page")
        indices = []
        if self.next == "_":
            self.take()
            inner = iter(self.group())
            for index in inner:
                if index in _TEXT:
                    index = "".join(iter(lambda: next(inner, "}"), "}")).lstrip("{")
                indices.append(index)
            if not indices or not all(index.isalnum() for index in indices):
                raise Unreadable("an index that is computed")
        return symbol(name, *indices)

    def product(self) -> Expr:
        """All factors up to the sign of a sum."""
        factors = _split(self.tokens[self.at :], {"+", "-"})[0]
        self.at += len(factors)
        return self.read(factors)

    def summation(self) -> Expr:
        self.take("_")
        index, *limits = _split(self.group(), "=")
        first, last = 0, symbol("")
        if limits:
            self.take("^")
            first, last = self.read(limits[0]), self.argument()
        names = [name for name in index if name != ","]
        to_somewhere = limits and not (first.is_Integer and last.is_Integer)
        if not names or not all(map(str.isalpha, names)) or to_somewhere:
            raise Unreadable("a sum over something")
        body = self.product()
        for name in names:
            body = special("sum", body, symbol(name), first, last)
        return body

    def fraction(self) -> Expr:
        """A quotient, or a derivative, whose expression may follow it."""
        above, below = self.group(), self.group()
        sign = above[:1]
        if sign not in (["d"], [r"\partial"]) or below[:1] != sign:
            return self.read(above) / self.read(below)
        order, above = _order(above[1:])
        variable, same = self.variable(below[1:])
        if order != same:
            raise Unreadable("two orders")
        body = self.read(above) if above else self.product()
        return special("derivative", body, variable, order)

    def flat_derivative(self) -> Expr:
        body = _split(self.tokens[self.at :], "/")[0]
        self.at += len(body)
        self.take("/")
        self.take(r"\partial")
        variable = self.operand(self.take())
        return special("derivative", self.read(body), variable, 1)

    def variable(self, tokens: list[str]) -> tuple[Symbol, int]:
        """The variable of a derivative, and its order."""
        at = tokens.index("^") if "^" in tokens else len(tokens)
        order, rest = _order(tokens[at:])
        found = self.read(tokens[:at])
        if not found.is_Symbol or rest:
            raise Unreadable("a derivative by no symbol")
        return found, order


def _order(tokens: list[str]) -> tuple[int, list[str]]:
    """The order at the start of a derivative, and the rest."""
    if tokens[:1] != ["^"]:
        return 1, tokens
    digits, rest = (tokens[2], tokens[4:]) if tokens[1:2] == ["{"] else (tokens[1], tokens[2:])
    if digits not in ("1", "2", "3"):
        raise Unreadable("a derivative of no order")
    return int(digits), rest
