"""What `second_way/` finds without autograd is what the snippets print.

A number is any run of digits that does not end a word (as in `loss2`, `MulBackward0`); nan and inf
count too. What the table doesn't name is not compared here: a run compares it, and a script of
which nothing else is known is counted in a warning, as on the page of the report.
"""

import ast
import re
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from proofbook.content.report import is_alone, is_found_again
from proofbook.model.book import read_book
from proofbook.model.snippet import numbers_in, output_file
from second_way import SECOND_WAY
from second_way.tools import Pairs, Value, slope

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).parent.parent
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan\b|inf\b)")
OPENING = re.compile(r"(?:tensor\(|[\s\[(,\])])*")
"""What may stand between a label and its number, and between two numbers of one tensor."""


def output(name: str) -> str:
    return (ROOT / f"snippets/{name}.out").read_text(encoding="utf-8")


def tolerance(printed: str) -> float:
    """How far a number may be from `printed`.

    Four decimals or more: the print is rounded, half a unit of its last digit. Fewer: nothing was
    left out (a tensor prints four decimals, or none if all its numbers are whole). What is added
    is for the roundings of float32, whose numbers lie a ten-millionth apart; nothing is added where
    more than nine digits are printed, more than float32 has: there the last digits are the point.
    """
    mantissa = printed.split("e")[0]
    rounded = len(mantissa.partition(".")[2]) >= 4
    exact = Decimal(printed).as_tuple()
    half = float(Decimal(5).scaleb(exact.exponent - 1)) if rounded else 0.0
    return half if len(exact.digits) > 9 else half + (3e-7 * abs(float(printed)) or 1e-7)


def agrees(printed: str, expected: float) -> bool:
    """Whether `printed` is `expected`, to the precision printed."""
    if printed.lstrip("-") in ("nan", "inf"):
        return np.array_equal(float(printed), expected, equal_nan=True)
    return abs(float(printed) - expected) <= tolerance(printed)


def confirm(name: str, text: str, pairs: Pairs) -> int:
    """Compare `text`, what a script prints, with pairs of a label and what stands behind it.

    Returns how many numbers were compared; raises AssertionError at the first that differs.
    """
    at, confirmed = 0, 0
    for label, expected in pairs:
        found = text.find(label, at)
        assert found >= 0, f"{name}.out: no {label!r} after line {text.count(chr(10), 0, at) + 1}"
        at, numbers = read(name, text, found + len(label), label, expected)
        confirmed += numbers
    return confirmed


def read(name: str, text: str, at: int, label: str, expected: Value) -> tuple[int, int]:
    """Compare what stands behind a label with `expected`; returns its end and its count of
    numbers."""
    if expected is None or isinstance(expected, bool):
        word = re.compile(r"\s*(\w*)").match(text, at)
        assert word[1] == str(expected), f"{name}.out: after {label!r}: {word[1]!r}, not {expected}"
        return word.end(), 0
    numbers = np.ravel(expected).astype(np.float64)
    for number in numbers:
        start = OPENING.match(text, at).end()
        found = NUMBER.match(text, start)
        assert found, f"{name}.out: after {label!r}: no number, where the second way gives {number}"
        assert agrees(found[0], number), (
            f"{name}.out: after {label!r}: {found[0]}, where the second way gives {number:.9g}"
        )
        at = found.end()
    return at, len(numbers)


@pytest.mark.parametrize("topic", sorted({name.partition("/")[0] for name in SECOND_WAY}))
def test_what_is_found_again_is_what_is_printed(topic):
    wrong = []
    for name in (name for name in SECOND_WAY if name.startswith(f"{topic}/")):
        try:
            assert confirm(name, output(name), SECOND_WAY[name]()), f"{name}: confirms no number"
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n\n".join(wrong)


def test_scripts_that_only_their_run_confirms_are_counted():
    """A warning, and no failure: a new script needs no second way."""
    book = read_book(ROOT)
    printing = [s for s in book.scripts if numbers_in(book.text(output_file(s)))]
    assert all(is_found_again(book, f"snippets/{name}.py") for name in SECOND_WAY)
    alone = [script for script in printing if is_alone(book, script)]
    if alone:
        warnings.warn(
            f"{len(alone)} of {len(printing)} scripts print numbers that only their run confirms: "
            "no equation, no test in tests/second_way and none that attacks their section",
            stacklevel=1,
        )


def test_a_wrong_sign_is_refused():
    name = "accumulate/without_zero_grad"
    text = output(name).replace("w=0.5", "w=-0.5", 1)
    with pytest.raises(AssertionError, match=r"'w=': -0\.5, where the second way gives 0\.5"):
        confirm(name, text, SECOND_WAY[name]())


def test_a_line_that_is_gone_is_refused():
    with pytest.raises(AssertionError, match="no 'b:' after line 1"):
        confirm("t/s", "a: 1\n", [("a:", 1), ("b:", 2)])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("tensor([[1., -0.5000],\n        [6.8778e-05, 4.]])", "1. -0.5000 6.8778e-05 4."),
        ("step 0: w.grad=-2.0 w=nan inf", "0 -2.0 nan inf"),
        ("loss2 y1 MulBackward0 float64 information v1.2", ""),
    ],
)
def test_what_counts_as_a_number(text, numbers):
    assert NUMBER.findall(text) == numbers.split()


@pytest.mark.parametrize(
    ("printed", "expected", "agreed"),
    [
        ("0.0012", 0.00125, True),
        ("0.0012", 0.00126, False),
        ("6.8778e-05", 6.87784e-05, True),
        ("6.8778e-05", 6.8779e-05, False),
        ("60.", 60.00001, True),
        ("60.", 60.4, False),
        ("0.5", 0.51, False),
        ("0.", 1e-9, True),
        ("-0.5000", 0.5, False),
        ("0.07999999821186066", 0.07999999821186066, True),
        ("0.07999999821186066", 0.08, False),
        ("nan", float("nan"), True),
        ("inf", float("-inf"), False),
    ],
)
def test_precision(printed, expected, agreed):
    assert agrees(printed, expected) == agreed


def test_slope_of_known_functions():
    assert np.isclose(slope(lambda x: x**3, 2), 12)
    assert np.allclose(slope(lambda x: np.sum(x**2), [[1, 2], [3, 4]]), [[2, 4], [6, 8]])
    matrix = np.array([[1.0, 2, 3], [4, 5, 6]])
    assert np.allclose(slope(lambda x: matrix @ x, [1, 1, 1]), matrix)
    assert slope(lambda x: np.outer(x, x), [1, 2]).shape == (2, 2, 2)


def test_the_second_way_does_not_use_autograd():
    files = (ROOT / "tests/second_way").glob("*.py")
    nodes = [n for file in files for n in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword)}
    autograd = {"autograd", "backward", "grad", "func", "requires_grad", "requires_grad_"}
    assert not (names | keywords) & autograd
