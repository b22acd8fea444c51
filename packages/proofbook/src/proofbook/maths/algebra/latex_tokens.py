"""The tokens of LaTeX, and which of them mean what to the reader in latex.py."""

from __future__ import annotations

import math
import re

Tree = float | tuple
"""An expression: latex.py says what it looks like."""

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\\[A-Za-z]+|\\.|\S")
_SKIPPED = {r"\,", r"\;", r"\!", r"\:", r"\ ", "&", "~", r"\left", r"\right", r"\displaystyle"}
_SKIPPED |= {
    rf"\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")
}
CLOSING = {"(": ")", "[": "]", "{": "}", r"\{": r"\}", "|": "|", r"\lvert": r"\rvert"}
CLOSING |= {r"\lVert": r"\rVert", r"\|": r"\|", r"\lfloor": r"\rfloor"}
WRAPPED = {"|": "abs", r"\lvert": "abs", r"\lVert": "norm", r"\|": "norm", r"\lfloor": "floor"}
FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
FUNCTIONS = {r"\ln": "log"}
FUNCTIONS |= {
    rf"\{name}": name for name in ("sqrt", "log", "exp", "sin", "cos", "tanh", "min", "max")
}
GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "eta", "theta", "lambda"}
GREEK |= {"mu", "rho", "sigma", "tau", "phi", "Delta"}
ACCENTS = {r"\hat", r"\bar", r"\tilde", r"\Delta"}
TEXT = {r"\text", r"\mathrm", r"\operatorname"}
NAMED_FUNCTIONS = {"sign": "sign", "sgn": "sign", "relu": "relu", "ReLU": "relu"}
TIMES = {"*": "*", r"\times": "*", r"\cdot": "dot"}
CONSTANTS = {r"\infty": math.inf, r"\pi": math.pi}
RELATIONS = {"<": "<", r"\lt": "<", r"\le": "<=", r"\leq": "<=", "=": "=", r"\ne": "!="}
RELATIONS |= {">": ">", r"\gt": ">", r"\ge": ">=", r"\geq": ">=", r"\neq": "!="}
IF = {"if", "for", "when", "where", "当", "若", "如果"}
OTHERWISE = {"otherwise", "else", "其他", "其它", "否则"}
ENDS = {None, ")", "]", "}", ",", ";", "+", "-", "@", r"\}", r"\rvert", r"\rVert", r"\rfloor"}
ENDS |= set(RELATIONS)
_ROW_END = r"\\"
_MATRIX = re.compile(r"\\begin\{(pmatrix|bmatrix)\}(.*?)\\end\{\1\}", re.DOTALL)
_CASES = re.compile(r"\\begin\{cases\}(.*?)\\end\{cases\}", re.DOTALL)


class Unreadable(Exception):
    """The text is no expression, or one in a notation that the reader does not know."""


def tokens_of(text: str) -> list[str]:
    """The tokens of an expression, without what only sets it and the punctuation that ends it.

    Matrices and cases become `\\matrix(1, 2 @ 3, 4)` and `\\cases(1; w > 0 @ 0; w < 0)`.
    """
    text = _MATRIX.sub(lambda found: _in_one_row(r"\matrix", found[2], ","), text)
    text = _CASES.sub(lambda found: _in_one_row(r"\cases", found[1], ";"), text)
    tokens = [token for token in _TOKEN.findall(text) if token not in _SKIPPED]
    while tokens and tokens[-1] in (".", ",", "\\"):
        tokens.pop()
    return tokens


def _in_one_row(name: str, inside: str, column: str) -> str:
    return f"{name}({inside.replace('&', column).replace(_ROW_END, '@')})"
