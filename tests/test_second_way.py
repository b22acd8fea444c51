"""Every number that a snippet prints is confirmed in `second_way/`, which uses no autograd.

The rule: a number is any run of digits that does not end a word (as in `loss2`, `MulBackward0`);
nan and inf count too. In every .out, each number must be (1) one that the table finds again, or
(2) part of a label that stands word for word in a string of the script, as `4` does in
`one batch of 4, w.grad:`, or (3) in a text listed in EXCEPTIONS.
"""

import ast
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from second_way import EXCEPTIONS, SECOND_WAY
from second_way.tools import HEADING, Pairs, Value, slope

pytestmark = pytest.mark.upgrade

SNIPPETS = Path(__file__).parent.parent / "snippets"
NAMES = sorted(p.relative_to(SNIPPETS).with_suffix("").as_posix() for p in SNIPPETS.rglob("*.out"))
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan\b|inf\b)")
OPENING = re.compile(r"(?:tensor\(|[\s\[(,\])])*")
"""What may stand between a label and its number, and between two numbers of one tensor."""


def script(name: str) -> str:
    return (SNIPPETS / f"{name}.py").read_text(encoding="utf-8")


def output(name: str) -> str:
    return (SNIPPETS / f"{name}.out").read_text(encoding="utf-8")


def module(name: str) -> str:
    """The file in which the numbers of a snippet are confirmed."""
    return f"tests/second_way/{name.partition('/')[0]}.py"


def strings(source: str) -> list[str]:
    """All texts that a script spells out, the fixed parts of its f-strings among them."""
    nodes = [n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)]
    return [value for value in nodes if isinstance(value, str)]


def without_exceptions(name: str, text: str) -> str:
    """The output with the texts of EXCEPTIONS blanked out; all places stay where they are."""
    for snippet, excepted in EXCEPTIONS:
        if snippet == name:
            text = text.replace(excepted, " " * len(excepted))
    return text


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


def confirm(name: str, source: str, text: str, pairs: Pairs) -> list[tuple[int, int]]:
    """Read `text`, what the script `source` prints, by the labels of `pairs`, and compare.

    Gives the places of all numbers confirmed; raises AssertionError at the first that is not.
    """
    text, at, confirmed = without_exceptions(name, text), 0, []
    for label, expected in pairs:
        found = text.find(label, at)
        assert found >= 0, f"{name}.out: no {label!r} after line {text.count(chr(10), 0, at) + 1}"
        nothing_left_out(name, text, at, found)
        assert not NUMBER.search(label) or any(label in words for words in strings(source)), (
            f"{name}: the label {label!r} holds a number and is no text of the script"
        )
        at, places = read(name, text, found + len(label), label, expected)
        confirmed += places
    nothing_left_out(name, text, at, len(text))
    return confirmed


def read(
    name: str, text: str, at: int, label: str, expected: Value
) -> tuple[int, list[tuple[int, int]]]:
    """Compare what stands after a label with `expected`; gives its end, and its numbers' places."""
    places = []
    if expected is None or isinstance(expected, bool):
        word = re.compile(r"\s*(\w*)").match(text, at)
        assert word[1] == str(expected), f"{name}.out: after {label!r}: {word[1]!r}, not {expected}"
        return word.end(), places
    for number in np.ravel(expected).astype(np.float64):
        start = OPENING.match(text, at).end()
        found = NUMBER.match(text, start)
        assert found, f"{name}.out: after {label!r}: no number, where the second way gives {number}"
        assert agrees(found[0], number), (
            f"{name}.out: after {label!r}: {found[0]}, where the second way gives {number:.9g}"
        )
        at = found.end()
        places.append(found.span())
    return at, places


def nothing_left_out(name: str, text: str, start: int, end: int) -> None:
    """No number may stand between what was confirmed last and the next label."""
    if found := NUMBER.search(text[:end], start):
        row = text.count("\n", 0, found.start())
        raise AssertionError(
            f"{name}.out, line {row + 1}: {found[0]} in {text.splitlines()[row]!r} is confirmed by "
            "nobody. Find it a second way, without autograd: add a pair of its label and its value "
            f"to the function of `{name}` in {module(name)}; if it is a count or part of a "
            "message, add its text and the reason to EXCEPTIONS there."
        )


TOPICS = sorted({name.partition("/")[0] for name in NAMES})


SLOW = {"labs"}  # trained without autograd; what its figures show is compared by test_labs


@pytest.mark.parametrize(
    "topic",
    [pytest.param(t, marks=pytest.mark.exhaustive if t in SLOW else ()) for t in TOPICS],
)
def test_every_number_is_confirmed_and_refused_when_two_units_off(topic):
    """The second is tried on copies of the output, where one number after another is moved by two
    units of its last digit."""
    wrong = []
    for name in (name for name in NAMES if name.startswith(f"{topic}/")):
        source, text, pairs = script(name), output(name), SECOND_WAY.get(name, list)()
        try:
            places = confirm(name, source, text, pairs)
        except AssertionError as error:
            wrong.append(str(error))
            continue
        wrong += [
            f"{name}.out: {text[slice(*place)]} may be another number, and nobody notices"
            for place in places
            if not notices(name, source, moved(text, *place), pairs)
        ]
    assert not wrong, "\n\n".join(wrong)


def moved(text: str, start: int, end: int) -> str:
    """The text with another number at this place: two units off, and 0 for nan or inf."""
    right = Decimal(text[start:end])
    wrong = right + Decimal(2).scaleb(right.as_tuple().exponent) if right.is_finite() else 0
    return f"{text[:start]}{wrong}{text[end:]}"


def notices(name: str, source: str, text: str, pairs: Pairs) -> bool:
    """Whether the second way refuses a number of the text."""
    try:
        confirm(name, source, text, pairs)
    except AssertionError as error:
        return "the second way gives" in str(error)
    return False


def test_every_entry_has_its_snippet():
    gone = [
        f"{module(name)}: there is no snippets/{name}.out" for name in SECOND_WAY.keys() - NAMES
    ]
    assert gone == []


def test_every_exception_is_needed_and_is_a_count_or_a_name():
    wrong = []
    for name, text in EXCEPTIONS:
        if name not in NAMES:
            wrong.append(f"there is no snippets/{name}.out: remove {text!r}")
        elif text not in output(name):
            wrong.append(f"{name}.out has no {text!r} any more: remove it")
        elif not NUMBER.search(text):
            wrong.append(f"{text!r} holds no number: remove it")
        elif re.search(r"tensor\(|\d\.(?![a-z])|nan|inf(?! checks)", text):
            wrong.append(f"{name}: {text!r} is a value")
    assert wrong == []


def test_a_wrong_sign_is_refused():
    name = "accumulate/two_losses"
    text = output(name).replace("tensor(-59.", "tensor(59.")
    with pytest.raises(AssertionError, match=r"'after step, w:': 59\., where .* gives -59"):
        confirm(name, script(name), text, SECOND_WAY[name]())


def test_a_number_that_nobody_confirmed_is_refused():
    name = "accumulate/two_losses"
    text = output(name) + "x.grad: tensor([7., 8.])\n"
    with pytest.raises(AssertionError, match=r"line 4: 7\. .* confirmed by nobody.*second_way/acc"):
        confirm(name, script(name), text, SECOND_WAY[name]())


def test_a_new_snippet_is_refused():
    with pytest.raises(AssertionError, match=r"line 1: 3 .* the function of `basics/new`"):
        confirm("basics/new", "print('w.grad:', 3)", "w.grad: 3\n", [])


def test_a_value_cannot_hide_in_a_label():
    source, text = 'print("one of 4, w.grad:", tensor(2.))', "one of 4, w.grad: tensor(2.)\n"
    confirm("basics/new", source, text, [("one of 4, w.grad:", 2)])
    with pytest.raises(AssertionError, match="is no text of the script"):
        pairs = [("one of 4, w.grad:", HEADING), ("tensor(2.)", HEADING)]
        confirm("basics/new", source, text, pairs)


def test_a_line_that_is_gone_is_refused():
    name = "accumulate/two_losses"
    text = "".join(output(name).splitlines(keepends=True)[:-1])
    with pytest.raises(AssertionError, match="no 'after step, w:' after line 2"):
        confirm(name, script(name), text, SECOND_WAY[name]())


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
    files = (Path(__file__).parent / "second_way").glob("*.py")
    nodes = [n for file in files for n in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword)}
    autograd = {"autograd", "backward", "grad", "func", "requires_grad", "requires_grad_"}
    assert not (names | keywords) & autograd
