"""LaTeX to an expression tree, as far as the maths of the book goes.

A tree is a float, or a tuple whose first item says what it is:

    ("letter", name, indices)       w, y_2, x_{ij}, \\hat m_1; indices is a tuple of strings
    ("+" | "*" | "dot" | "/" | "^", one, other), ("neg", one)
    ("call", name, arguments)       sqrt, log, abs, norm, floor, sign, min, max
    ("tuple", items)                a vector, or a matrix: a tuple of tuples
    ("sum", index, span, body)      span is ("span", first, last), or None where it isn't written
    ("d", body, letter, order)      a derivative
    ("claim", one, other)           \\underbrace{one}_{other}: the writer says they are equal
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

Tree = float | tuple

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\\[A-Za-z]+|\\.|\S")
_SKIPPED = {r"\,", r"\;", r"\!", r"\:", r"\ ", "&", "~", r"\left", r"\right", r"\displaystyle"}
_SKIPPED |= {
    rf"\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")
}
_CLOSING = {"(": ")", "[": "]", "{": "}", r"\{": r"\}", "|": "|", r"\lvert": r"\rvert"}
_CLOSING |= {r"\lVert": r"\rVert", r"\|": r"\|", r"\lfloor": r"\rfloor"}
_WRAPPED = {"|": "abs", r"\lvert": "abs", r"\lVert": "norm", r"\|": "norm", r"\lfloor": "floor"}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_FUNCTIONS = {r"\sqrt": "sqrt", r"\log": "log", r"\ln": "log", r"\min": "min", r"\max": "max"}
_GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "eta", "theta", "lambda"}
_GREEK |= {"mu", "rho", "sigma", "tau", "phi", "Delta"}
_ACCENTS = {r"\hat", r"\bar", r"\tilde", r"\Delta"}
_TEXT = {r"\text", r"\mathrm", r"\operatorname"}
_TIMES = {"*": "*", r"\times": "*", r"\cdot": "dot"}
_CONSTANTS = {r"\infty": math.inf, r"\pi": math.pi}
_ENDS = {None, ")", "]", "}", ",", "+", "-", "@", "=", r"\}", r"\rvert", r"\rVert", r"\rfloor"}


class Unreadable(Exception):
    """The text is no expression, or one that nobody taught this module to read."""


@lru_cache(maxsize=4096)
def read_latex(text: str) -> Tree:
    """The tree of an expression; raises `Unreadable`. A comma or a full stop may follow it."""
    tokens = [token for token in _TOKEN.findall(text) if token not in _SKIPPED]
    while tokens and tokens[-1] in (".", ",", "\\"):
        tokens.pop()
    reader = _Reader(tokens)
    try:
        tree = reader.sum()
    except RecursionError:
        raise Unreadable(text) from None
    if reader.next is not None:
        raise Unreadable(text)
    return tree


class _Reader:
    """Reads tokens from left to right: one method for each level of precedence."""

    def __init__(self, tokens: list[str]):
        self.tokens = tokens
        self.at = 0
        self.open_bars: list[str] = []

    @property
    def next(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted: str | None = None) -> str:
        token = self.next
        if token is None or (wanted is not None and token != wanted):
            raise Unreadable(f"{token!r} instead of {wanted!r}")
        self.at += 1
        return token

    def sum(self) -> Tree:
        tree = self.product()
        while self.next in ("+", "-"):
            sign = self.take()
            other = self.product()
            tree = ("+", tree, other if sign == "+" else ("neg", other))
        return tree

    def product(self) -> Tree:
        if self.next in ("+", "-"):
            sign = self.take()
            tree = self.product()
            return ("neg", tree) if sign == "-" else tree
        tree = self.power()
        while self.next not in _ENDS and not (self.open_bars and self.next == self.open_bars[-1]):
            if self.next in _TIMES:
                operator = _TIMES[self.take()]
            else:
                operator = "/" if self.next == "/" else "*"
                if operator == "/":
                    self.take()
            other = self.signed() if self.next in ("+", "-") else self.power()
            tree = (operator, tree, other)
        return tree

    def signed(self) -> Tree:
        """A factor with its sign, as in 2 \\times -3."""
        sign = self.take()
        tree = self.signed() if self.next in ("+", "-") else self.power()
        return ("neg", tree) if sign == "-" else tree

    def power(self) -> Tree:
        tree = self.atom()
        if self.next == "^":
            self.take()
            tree = ("^", tree, self.argument())
        return tree

    def argument(self) -> Tree:
        """What follows ^, \\frac or \\sqrt: a group in braces, or a single token."""
        if self.next == "{":
            return self.atom()
        if self.next == "-":
            raise Unreadable("a sign without braces")
        return self.atom()

    def atom(self) -> Tree:
        token = self.take()
        if token[0].isdigit():
            return float(token)
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if token in _CLOSING:
            return self.group(token)
        if token in _FRACTIONS:
            return self.fraction()
        if token == r"\partial":
            return self.flat_derivative()
        if token in _FUNCTIONS:
            return self.call(_FUNCTIONS[token])
        if token == r"\sum":
            return self.total()
        if token == r"\underbrace":
            return self.brace()
        if token == r"\matrix":
            return self.group(self.take("("))
        if token in _TEXT:
            word = self.word()
            if word == "nan":
                return math.nan
            return self.call("sign") if word == "sign" else self.letter(word)
        if token in _ACCENTS and self.next is not None:
            braced = self.next == "{"
            name = self.word() if braced else self.take().lstrip("\\")
            return self.letter(f"{token[1:]} {name}")
        if (len(token) == 1 and token.isalpha() and token.isascii()) or token[1:] in _GREEK:
            return self.letter(token.lstrip("\\"))
        raise Unreadable(token)

    def letter(self, name: str) -> Tree:
        if self.next != "_":
            return ("letter", name, ())
        self.take()
        if self.next == "{":
            self.take()
            indices = []
            while self.next != "}":
                indices.append(self.word() if self.next in _TEXT and self.take() else self.take())
            self.take("}")
        else:
            indices = [self.take()]
        if not indices or not all(index.isalnum() for index in indices):
            raise Unreadable("an index that is computed")
        return ("letter", name, tuple(indices))

    def word(self) -> str:
        self.take("{")
        word = ""
        while self.next != "}":
            word += self.take()
        self.take("}")
        return word

    def group(self, opening: str) -> Tree:
        if wrapped := _WRAPPED.get(opening):
            self.open_bars.append(_CLOSING[opening])
        else:
            self.open_bars.append("")
        rows, items = [], [self.sum()]
        while self.next in (",", "@"):
            if self.take() == "@":
                rows.append(("tuple", tuple(items)))
                items = []
            items.append(self.sum())
        self.take(_CLOSING[opening])
        self.open_bars.pop()
        if wrapped:
            return ("call", wrapped, tuple(items))
        if rows:
            return ("tuple", (*rows, ("tuple", tuple(items))))
        return items[0] if len(items) == 1 else ("tuple", tuple(items))

    def call(self, name: str) -> Tree:
        if name in ("min", "max"):
            arguments = self.group(self.take("("))
            items = arguments[1] if arguments[0] == "tuple" else (arguments,)
            return ("call", name, items)
        return ("call", name, (self.argument() if name == "sqrt" else self.power(),))

    def total(self) -> Tree:
        span: tuple[str, float, float] | None = None
        self.take("_")
        if self.next == "{":
            self.take()
            index = self.take()
            while self.next == ",":
                self.take()
                index += self.take()
            if self.next == "=":
                self.take()
                first = float(self.take()) if (self.next or "").isdigit() else None
                self.take("}")
                self.take("^")
                last = self.argument()
                if first is None or not isinstance(last, float):
                    raise Unreadable("a sum to somewhere")
                span = ("span", first, last)
            else:
                self.take("}")
        else:
            index = self.take()
        if not index.isalpha():
            raise Unreadable("a sum over something")
        return ("sum", index, span, self.product())

    def brace(self) -> Tree:
        above = self.argument()
        self.take("_")
        return ("claim", above, self.argument())

    def fraction(self) -> Tree:
        start = self.at
        if self.next == "{":
            self.take()
            straight = self.next == "d"
            if self.next in (r"\partial", "d"):
                self.take()
                order = self.order()
                body = None if self.next == "}" else self.sum()
                self.take("}")
                self.take("{")
                if self.next == ("d" if straight else r"\partial"):
                    letter = self.denominator(order)
                    self.take("}")
                    return ("d", self.product() if body is None else body, letter, order)
            self.at = start
        return ("/", self.argument(), self.argument())

    def flat_derivative(self) -> Tree:
        body = self.power()
        self.take("/")
        return ("d", body, self.denominator(1), 1)

    def order(self) -> int:
        if self.next != "^":
            return 1
        self.take()
        order = self.argument()
        if order not in (1.0, 2.0, 3.0):
            raise Unreadable("a derivative of no order")
        return int(order)

    def denominator(self, order: int) -> Tree:
        self.take()
        letter = self.atom()
        if letter[:1] != ("letter",) if isinstance(letter, tuple) else True:
            raise Unreadable("a derivative by no letter")
        if order != self.order():
            raise Unreadable("two orders")
        return letter
