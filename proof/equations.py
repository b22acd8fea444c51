"""Equalities in the maths of a page: both sides are computed, and must agree.

A side can be computed if it holds numbers, + - * /, powers, fractions, roots, logarithms, absolute
values and brackets. What holds letters is counted, and left to the author.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from proof.page import Page
from proof.problem import Problem
from proof.prose import without_code

MATHS = re.compile(
    r"\$\$(?P<block>.*?)\$\$|(?<![\\$])\$(?!\s)(?P<inline>[^$\n]+?)(?<!\s)\$(?!\d)", re.DOTALL
)
_ROWS = re.compile(r"\\\\|\\q?quad\b|\\(?:begin|end)\{[a-z*]+\}")
_SIGNS = re.compile(r"(\\approx|\\to\b|\\leftarrow|\\le\b|\\ge\b|\\neq|[=<>:;])")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|\\[A-Za-z]+|\\.|[-+*/^(){}\[\]|!,]|\S")
_SPACES = {r"\,", r"\;", r"\!", r"\ ", "&", r"\left", r"\right", r"\big", r"\bigl", r"\bigr"}
_SPACES |= {r"\Big", r"\Bigl", r"\Bigr", r"\cdot\!"}
_OPEN = {"(": ")", "[": "]", "{": "}", "|": "|", r"\lvert": r"\rvert", r"\{": r"\}"}


class Symbolic(Exception):
    """The expression holds something that is no number."""


@dataclass(frozen=True)
class Equality:
    """Two neighboring sides. `value`s are None where a side holds letters.

    `place`: where the left side begins in the text of the page.
    """

    left: str
    sign: str
    right: str
    values: tuple[float | None, float | None]
    place: int

    @property
    def computed(self) -> bool:
        return None not in self.values

    @property
    def holds(self) -> bool:
        """Whether both sides agree: exactly, or to the digits written after an approximation."""
        one, other = self.values
        if self.sign == "=":
            return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
        return abs(one - other) <= max(_half_unit(self.left), _half_unit(self.right)) * (1 + 1e-6)


def maths_of(page: Page) -> Iterator[re.Match]:
    """The formulas of a page, inline and displayed."""
    yield from MATHS.finditer(without_code(page))


def equalities(page: Page) -> Iterator[Equality]:
    """The equalities in the maths of a page, one for each `=` and `\\approx`."""
    for maths in maths_of(page):
        start = maths.start("block" if maths["block"] is not None else "inline")
        for row, at in _split(_ROWS, maths["block"] or maths["inline"]):
            parts = [(part, at + start + offset) for part, offset in _split(_SIGNS, row, True)]
            for (left, place), (sign, _), (right, _) in zip(
                parts[::2], parts[1::2], parts[2::2], strict=False
            ):
                if sign in ("=", r"\approx"):
                    yield Equality(left, sign, right, (number(left), number(right)), place)


def sides(latex: str) -> Iterator[tuple[str, int]]:
    """What stands between the signs of a formula, row by row, each with its place."""
    for row, at in _split(_ROWS, latex):
        yield from ((side, at + offset) for side, offset in _split(_SIGNS, row))


def wrong_equalities(page: Page) -> Iterator[Problem]:
    """The equalities of a page whose sides can be computed and differ."""
    for equality in equalities(page):
        if equality.computed and not equality.holds:
            one, other = equality.values
            rounded = equality.sign == "=" and abs(one - other) <= _half_unit(equality.right) * 1.01
            yield Problem(
                page.file,
                page.text.count("\n", 0, equality.place) + 1,
                "the two sides of the equation differ",
                f"{one:.10g}" + (r" (rounded: write \approx)" if rounded else ""),
                f"{equality.left.strip()} {equality.sign} {equality.right.strip()}",
                "correct the equation, in both languages",
                (page.file,),
            )


def number(latex: str) -> float | None:
    """The value of an expression, or None where it holds letters or isn't complete."""
    tokens = [token for token in _TOKEN.findall(latex) if token not in _SPACES]
    if not any(token[0].isdigit() for token in tokens):
        return None
    try:
        value, at = _sum(tokens, 0)
        return value if at == len(tokens) or tokens[at:] in (["."], [","]) else None
    except (Symbolic, IndexError, ZeroDivisionError, OverflowError, ValueError):
        return None


def _sum(tokens: list[str], at: int) -> tuple[float, int]:
    sign = 1.0
    while tokens[at] in "+-":
        sign, at = (-sign if tokens[at] == "-" else sign), at + 1
    value, at = _product(tokens, at)
    value *= sign
    while at < len(tokens) and tokens[at] in ("+", "-"):
        sign = 1.0 if tokens[at] == "+" else -1.0
        other, at = _product(tokens, at + 1)
        value += sign * other
    return value, at


def _product(tokens: list[str], at: int) -> tuple[float, int]:
    value, at = _power(tokens, at)
    while at < len(tokens):
        if tokens[at] in ("*", r"\times", r"\cdot"):
            sign = 1.0
            at += 1
            while tokens[at] == "-":
                sign, at = -sign, at + 1
            other, at = _power(tokens, at)
            value *= sign * other
        elif tokens[at] == "/":
            other, at = _power(tokens, at + 1)
            value /= other
        elif tokens[at][0].isdigit() or tokens[at] in (*_OPEN, r"\frac", r"\tfrac", r"\sqrt"):
            if tokens[at] == "|":  # the end of an absolute value
                break
            other, at = _power(tokens, at)
            value *= other
        else:
            break
    return value, at


def _power(tokens: list[str], at: int) -> tuple[float, int]:
    value, at = _atom(tokens, at)
    if at < len(tokens) and tokens[at] == "^":
        exponent, at = _atom(tokens, at + 1)
        value = value**exponent
        if isinstance(value, complex):
            raise Symbolic
    return value, at


def _atom(tokens: list[str], at: int) -> tuple[float, int]:
    token = tokens[at]
    if token[0].isdigit():
        return float(token), at + 1
    if token == "-":
        value, at = _atom(tokens, at + 1)
        return -value, at
    if token in _OPEN:
        value, at = _sum(tokens, at + 1)
        if tokens[at] != _OPEN[token]:
            raise Symbolic
        return (abs(value) if token in ("|", r"\lvert") else value), at + 1
    if token in (r"\frac", r"\tfrac", r"\dfrac"):
        above, at = _atom(tokens, at + 1)
        below, at = _atom(tokens, at)
        return above / below, at
    if token == r"\sqrt":
        value, at = _atom(tokens, at + 1)
        return math.sqrt(value), at
    if token == r"\log":
        value, at = _power(tokens, at + 1)
        return math.log(value), at
    raise Symbolic


def _split(pattern: re.Pattern, text: str, keep: bool = False) -> list[tuple[str, int]]:
    """The parts between the matches, each with its place; with `keep`, the matches too."""
    parts, at = [], 0
    for found in pattern.finditer(text):
        parts.append((text[at : found.start()], at))
        if keep:
            parts.append((found[0], found.start()))
        at = found.end()
    return [*parts, (text[at:], at)]


def _half_unit(latex: str) -> float:
    """Half a unit of the last digit written, where the side is a single number."""
    plain = re.fullmatch(r"\s*-?\d+(?:\.(\d+))?[\s.,]*", latex)
    return 0.5 * 10.0 ** -len(plain[1] or "") if plain else 0.0
