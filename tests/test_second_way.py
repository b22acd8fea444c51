"""What `second_way/` finds without autograd is what the snippets print.

A number is any run of digits that does not end a word (as in `loss2`, `MulBackward0`); nan and inf
count too. What is not named there is not compared here: a run compares it, and a script of which
nothing else is known is counted in a warning, as on the page of the report.
"""

import ast
import importlib
import re
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from proofbook.content.report import is_alone, is_found_again
from proofbook.model.book import read_book
from proofbook.model.snippet import numbers_in, output_file
from second_way import Pairs

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "tests/second_way").glob("[a-z]*.py"))
SECOND_WAY = {
    f"{file.stem}/{name}": value
    for file in FILES
    for name, value in vars(importlib.import_module(f"second_way.{file.stem}")).items()
    if getattr(value, "__annotations__", {}) == {"return": Pairs}
}
"""The snippets that print numbers, and how to find them again."""
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan\b|inf\b)")
OPENING = re.compile(r"(?:tensor\(|[\s\[(,\])])*")
"""What may stand between a label and its number, and between two numbers of one tensor."""


def output(name: str) -> str:
    return (ROOT / f"snippets/{name}.out").read_text(encoding="utf-8")


def agrees(printed: str, expected: float) -> bool:
    """Whether `printed` is `expected`, to the precision printed.

    Four decimals or more: the print is rounded, half a unit of its last digit. Fewer: nothing was
    left out (a tensor prints four decimals, or none if all its numbers are whole). What is added
    is for the roundings of float32, whose numbers lie a ten-millionth apart; nothing is added where
    more than nine digits are printed, more than float32 has: there the last digits are the point.
    """
    if printed.lstrip("-") in ("nan", "inf"):
        return np.array_equal(float(printed), expected, equal_nan=True)
    exact = Decimal(printed).as_tuple()
    decimals = len(printed.split("e")[0].partition(".")[2])
    half = float(Decimal(5).scaleb(exact.exponent - 1)) if decimals >= 4 else 0.0
    more = 0 if len(exact.digits) > 9 else 3e-7 * abs(float(printed)) or 1e-7
    return abs(float(printed) - expected) <= half + more


def confirm(text: str, pairs: Pairs) -> int:
    """Compare `text`, what a script prints, with pairs of a label and what stands behind it.

    Returns how many numbers were compared; raises AssertionError at the first that differs.
    """
    at, confirmed = 0, 0
    for label, expected in pairs:
        found = text.find(label, at)
        assert found >= 0, f"no {label!r} after line {text.count(chr(10), 0, at) + 1}"
        at = found + len(label)
        if isinstance(expected, bool):
            said = text[at:].lstrip().startswith(str(expected))
            assert said, f"after {label!r}: not {expected}"
            continue
        for number in np.ravel(expected).astype(float):
            printed = NUMBER.match(text, OPENING.match(text, at).end())
            said = printed[0] if printed else "no number"
            assert printed and agrees(said, number), (
                f"after {label!r}: {said}, where the second way gives {number:.9g}"
            )
            at, confirmed = printed.end(), confirmed + 1
    return confirmed


@pytest.mark.parametrize("name", SECOND_WAY)
def test_what_is_found_again_is_what_is_printed(name):
    assert confirm(output(name), SECOND_WAY[name]())


def test_scripts_that_only_their_run_confirms_are_counted():
    """A warning, and no failure: a new script needs no second way."""
    book = read_book(ROOT)
    printing = [s for s in book.scripts if numbers_in(book.text(output_file(s)))]
    assert all(is_found_again(book, f"snippets/{name}.py") for name in SECOND_WAY)
    if alone := [script for script in printing if is_alone(book, script)]:
        warnings.warn(
            f"{len(alone)} of {len(printing)} scripts print numbers that only their run confirms: "
            "no equation, no test in tests/second_way and none that attacks their section",
            stacklevel=1,
        )


def test_the_second_way_does_not_use_autograd():
    nodes = [n for file in FILES for n in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword)}
    autograd = {"autograd", "backward", "grad", "func", "requires_grad", "requires_grad_"}
    assert not (names | keywords) & autograd
