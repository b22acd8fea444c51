"""The equalities in the formulas of a page, as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofbook.model.page import Page

_ENVIRONMENT = re.compile(r"\\begin\{(pmatrix|bmatrix|cases)\}.*?\\end\{\1\}", re.DOTALL)
# Layout and labels of a formula, without effect on its value.
_LAYOUT = re.compile(
    r"\\(?:label|tag\*?)\{[^{}]*\}|\\(?:nonumber|notag)\b|(?<=\\\\)\[[^][]*\]"
    r"|(?<=\\begin\{array\})\{[^{}]*\}|(?<=\\begin\{alignat\})\{\d+\}"
    r"|(?<=\\begin\{aligned\})\[[tbc]\]"
)
_ROWS = re.compile(r"\\\\|\\q?quad\b|\\(?:begin|end)\{[a-z]+\*?\}|(?<!\\),(?=\s|\\)")
_SIGNS = re.compile(r"\\approx|\\to\b|\\leftarrow|\\leq?\b|\\geq?\b|\\neq?\b|\\lt\b|\\gt\b|[=<>:;]")
INEQUALITY = re.compile(r"[<>]|\\(?:leq?|geq?|neq?|lt|gt)\b")
"""A sign in a formula that may be a condition, such as w > 0."""
_BRACE = re.compile(r"\\underbrace\{")


@dataclass(frozen=True)
class Equality:
    """Two neighboring sides. `place`: the start of the left side in the text of the page."""

    left: str
    sign: str
    right: str
    place: int

    @property
    def within(self) -> float:
        """The allowed difference of the sides: half of the last digit after an approximation."""
        if self.sign == "=":
            return 0.0
        return max(half_unit(self.left), half_unit(self.right))

    def __str__(self) -> str:
        return f"{' '.join(self.left.split())} {self.sign} {' '.join(self.right.split())}"


def equalities(page: Page) -> Iterator[Equality]:
    """The equalities in the maths of a page, one for each `=` and `\\approx`."""
    for maths in page.maths:
        for equality in equalities_in(maths.content):
            place = maths.content_start + equality.place
            yield Equality(equality.left, equality.sign, equality.right, place)


def equalities_in(maths: str) -> tuple[Equality, ...]:
    """The equalities of one formula; a row that begins with a sign continues the row above."""
    text = _without_layout(maths)
    masked = _masked(text)
    found, before = [], ("", 0)
    for row, at in _split(_ROWS, masked):
        sides = [
            (text[at + offset : at + offset + len(part)], at + offset)
            for part, offset in _split(_SIGNS, row, keep=True)
        ]
        if not sides[0][0].strip(" \n&"):
            sides[0] = before
        for (left, place), (sign, _), (right, _) in zip(
            sides[::2], sides[1::2], sides[2::2], strict=False
        ):
            if sign in ("=", r"\approx"):
                found.append(Equality(_clean(left), sign, _clean(right), place))
        if len(sides) > 1:
            before = sides[-1]
    for brace in _BRACE.finditer(text):
        above = _closing(text, brace.end())
        if text[above + 1 : above + 3] == "_{":
            below = text[above + 3 : _closing(text, above + 3)]
            found.append(Equality(text[brace.end() : above], "=", below, brace.end()))
    return tuple(found)


def sides(latex: str) -> Iterator[tuple[str, int]]:
    """The parts of a formula between its signs, row by row, each with its place."""
    for row, at in _split(_ROWS, latex):
        yield from ((side, at + offset) for side, offset in _split(_SIGNS, row))


def half_unit(latex: str) -> float:
    """Half a unit of the last digit written, if the side is a single number."""
    plain = re.fullmatch(r"\s*-?\d+(?:\.(\d+))?[\s.,]*", latex)
    return 0.5 * 10.0 ** -len(plain[1] or "") if plain else 0.0


def _clean(side: str) -> str:
    return side.strip().removeprefix("&").removesuffix("&").strip().removesuffix("\\").rstrip(" .,")


def _without_layout(latex: str) -> str:
    """The formula with blanks in place of layout commands."""
    return _LAYOUT.sub(lambda found: " " * len(found[0]), latex)


def _masked(latex: str) -> str:
    """The formula with letters in place of matrices and cases, which don't separate sides."""
    return _ENVIRONMENT.sub(lambda found: "m" * len(found[0]), latex)


def _closing(text: str, at: int) -> int:
    """The place of the brace that closes the one opened before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at - 1


def _split(pattern: re.Pattern, text: str, keep: bool = False) -> list[tuple[str, int]]:
    """The parts between matches outside brackets, with their places; `keep`: the matches too."""
    depths = _depths(text)
    split, at = [], 0
    for found in pattern.finditer(text):
        if depths[found.start()] and not found[0].startswith((r"\begin", r"\end", r"\\")):
            continue
        split.append((text[at : found.start()], at))
        if keep:
            split.append((found[0], found.start()))
        at = found.end()
    return [*split, (text[at:], at)]


def _depths(text: str) -> list[int]:
    """The number of open brackets at each place; round ones count only if all of them close."""
    plain = re.sub(r"\\[{}]", "  ", text)
    pairs = "({[", ")}]"
    if any(plain.count(a) != plain.count(b) for a, b in zip(*pairs, strict=True)):
        pairs = "{", "}"
    depth, depths = 0, []
    for character in plain:
        depth += character in pairs[0]
        depth -= character in pairs[1]
        depths.append(depth)
    return [*depths, 0]
