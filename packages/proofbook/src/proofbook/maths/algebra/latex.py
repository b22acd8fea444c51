"""LaTeX to an expression tree, as far as the formulas of pages go.

Our own reader: SymPy's `parse_latex` needs antlr4 or lark, and knows neither vectors, sums over
indices, braces nor `\\text` indices as pages write them.

A tree is a float, or a tuple whose first item says what it is:

    ("symbol", name, indices)       w, y_2, x_{ij}, \\hat m_1; indices is a tuple of strings
    ("+" | "*" | "dot" | "/" | "^", one, other), ("neg", one)
    ("call", name, arguments)       sqrt, log, exp, sin, cos, tanh, abs, norm, floor, sign, min, max
    ("apply", name, order, one)     f(x), and f''(x) with the order 2, of a function of the page
    ("tuple", items)                a vector, or a matrix: a tuple of tuples
    ("sum", index, range, body)     range is ("range", first, last), or None where it isn't written
    ("d", body, symbol, order)      a derivative
    ("claim", one, other)           \\underbrace{one}_{other}: the writer says they are equal
    ("cases", values, conditions)   the value is the first whose condition is true
    ("<" | "<=" | ">" | ">=" | "!=" | "=", one, other), ("and", items)    conditions
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from proofbook.maths.algebra import latex_notation as notation
from proofbook.maths.algebra.latex_tokens import (
    ACCENTS,
    CLOSING,
    CONSTANTS,
    ENDS,
    FRACTIONS,
    FUNCTIONS,
    GREEK,
    NAMED_FUNCTIONS,
    TEXT,
    TIMES,
    WRAPPED,
    Tree,
    Unreadable,
    tokens_of,
)

DEEPEST = 300
"""The most levels of a tree, over which functions go recursively: so many terms a sum may have."""


def read_latex(text: str, functions: frozenset[str] = frozenset()) -> Tree:
    """The tree of an expression; raises `Unreadable`. A comma or a full stop may follow it.

    `functions`: names that are applied to what follows them in parentheses: with "f" among them,
    f(x) is no product.
    """
    return _read(text, functions, Reader.read_sum)


def read_latex_condition(text: str, functions: frozenset[str] = frozenset()) -> Tree:
    """The tree of a condition, as w > 0, 0 < w \\le 1 or (w \\ne 0); raises `Unreadable`."""
    inside = re.fullmatch(r"\s*\((.*)\)\s*", text, re.DOTALL)
    return _read(inside[1] if inside else text, functions, notation.read_condition)


def _read(text: str, functions: frozenset[str], rule: Callable[[Reader], Tree]) -> Tree:
    reader = Reader(tokens_of(text), functions)
    try:
        tree = rule(reader)
    except RecursionError:
        raise Unreadable(text) from None
    if reader.next is not None or _deeper_than(tree, DEEPEST):
        raise Unreadable(text)
    return tree


def _deeper_than(tree: Tree, depth: int) -> bool:
    level = [tree]
    for _ in range(depth):
        level = [item for part in level if isinstance(part, tuple) for item in part]
        if not level:
            return False
    return True


class Reader:
    """Reads tokens from left to right: one method for each level of precedence."""

    def __init__(self, tokens: list[str], functions: frozenset[str]):
        self.tokens = tokens
        self.functions = functions
        self.at = 0
        self.open_bars: list[str] = []

    @property
    def next(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def advance(self, wanted: str | None = None) -> str:
        token = self.next
        if token is None or (wanted is not None and token != wanted):
            raise Unreadable(f"{token!r} instead of {wanted!r}")
        self.at += 1
        return token

    def read_sum(self) -> Tree:
        tree = self.read_product()
        while self.next in ("+", "-"):
            sign = self.advance()
            other = self.read_product()
            tree = ("+", tree, other if sign == "+" else ("neg", other))
        return tree

    def read_product(self) -> Tree:
        if self.next in ("+", "-"):
            sign = self.advance()
            tree = self.read_product()
            return ("neg", tree) if sign == "-" else tree
        tree = self.read_power()
        while self.next not in ENDS and not (self.open_bars and self.next == self.open_bars[-1]):
            if self.next in TIMES:
                operator = TIMES[self.advance()]
            else:
                operator = "/" if self.next == "/" else "*"
                if operator == "/":
                    self.advance()
            other = self.read_signed_factor() if self.next in ("+", "-") else self.read_power()
            tree = (operator, tree, other)
        return tree

    def read_signed_factor(self) -> Tree:
        """A factor with its sign, as in 2 \\times -3."""
        sign = self.advance()
        tree = self.read_signed_factor() if self.next in ("+", "-") else self.read_power()
        return ("neg", tree) if sign == "-" else tree

    def read_power(self) -> Tree:
        tree = self.read_atom()
        if self.next == "^":
            self.advance()
            tree = ("^", tree, self.read_argument())
        return tree

    def read_argument(self) -> Tree:
        """What follows ^, \\frac or \\sqrt: a group in braces, or a single token."""
        if self.next == "{":
            return self.read_atom()
        if self.next == "-":
            raise Unreadable("a sign without braces")
        return self.read_atom()

    def read_atom(self) -> Tree:
        token = self.advance()
        if token[0].isdigit():
            return float(token)
        if token in CONSTANTS:
            return CONSTANTS[token]
        if token in CLOSING:
            return self.read_group(token)
        if token in FRACTIONS:
            return notation.read_fraction(self)
        if token == r"\partial":
            return notation.read_flat_derivative(self)
        if token in FUNCTIONS:
            return self.read_call(FUNCTIONS[token])
        if token == r"\sum":
            return notation.read_summation(self)
        if token == r"\underbrace":
            return self.read_underbrace()
        if token == r"\matrix":
            return self.read_group(self.advance("("))
        if token == r"\cases":
            return notation.read_cases(self)
        if token in TEXT:
            word = self.read_word()
            if word == "nan":
                return math.nan
            if word in NAMED_FUNCTIONS:
                return self.read_call(NAMED_FUNCTIONS[word])
            return self.read_symbol(word)
        if token in ACCENTS and self.next is not None:
            braced = self.next == "{"
            name = self.read_word() if braced else self.advance().lstrip("\\")
            return self.read_symbol(f"{token[1:]} {name}")
        if (len(token) == 1 and token.isalpha() and token.isascii()) or token[1:] in GREEK:
            return self.read_symbol(token.lstrip("\\"))
        raise Unreadable(token)

    def read_symbol(self, name: str) -> Tree:
        if name in self.functions and self.next in ("'", "("):
            return self.read_application(name)
        if self.next != "_":
            return ("symbol", name, ())
        self.advance()
        if self.next == "{":
            self.advance()
            indices = []
            while self.next != "}":
                indices.append(
                    self.read_word() if self.next in TEXT and self.advance() else self.advance()
                )
            self.advance("}")
        else:
            indices = [self.advance()]
        if not indices or not all(index.isalnum() for index in indices):
            raise Unreadable("an index that is computed")
        return ("symbol", name, tuple(indices))

    def read_word(self) -> str:
        self.advance("{")
        word = ""
        while self.next != "}":
            word += self.advance()
        self.advance("}")
        return word

    def read_group(self, opening: str) -> Tree:
        if wrapped := WRAPPED.get(opening):
            self.open_bars.append(CLOSING[opening])
        else:
            self.open_bars.append("")
        rows, items = [], [self.read_sum()]
        while self.next in (",", "@"):
            if self.advance() == "@":
                rows.append(("tuple", tuple(items)))
                items = []
            items.append(self.read_sum())
        self.advance(CLOSING[opening])
        self.open_bars.pop()
        if wrapped:
            return ("call", wrapped, tuple(items))
        if rows:
            return ("tuple", (*rows, ("tuple", tuple(items))))
        return items[0] if len(items) == 1 else ("tuple", tuple(items))

    def read_application(self, name: str) -> Tree:
        order = 0
        while self.next == "'":
            self.advance()
            order += 1
        argument = self.read_group(self.advance("("))
        if isinstance(argument, tuple) and argument[0] == "tuple":
            raise Unreadable("a function of several arguments")
        return ("apply", name, order, argument)

    def read_call(self, name: str) -> Tree:
        if name in ("min", "max"):
            if self.next not in ("(", r"\{"):
                raise Unreadable(f"{name} of what?")
            arguments = self.read_group(self.advance())
            several = isinstance(arguments, tuple) and arguments[0] == "tuple"
            return ("call", name, arguments[1] if several else (arguments,))
        if name == "sqrt" and self.next == "[":
            degree = self.read_group(self.advance())
            return ("^", self.read_argument(), ("/", 1.0, degree))
        power = None
        if name != "sqrt" and self.next == "^":  # sin^2 x
            self.advance()
            power = self.read_argument()
        alone = name == "sqrt" or self.next == "("
        argument = self.read_argument() if alone else self.read_power()
        called = ("call", "max", (argument, 0.0)) if name == "relu" else ("call", name, (argument,))
        return called if power is None else ("^", called, power)

    def read_underbrace(self) -> Tree:
        above = self.read_argument()
        self.advance("_")
        return ("claim", above, self.read_argument())
