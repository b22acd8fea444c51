"""Identities: numbers of both signs and kinks refute them, and SymPy proves the others."""

from __future__ import annotations

import subprocess
import sys

import pytest
from proofbook.maths.algebra.identity import is_identity
from proofbook.maths.algebra.latex import read_latex, read_latex_condition
from proofbook.maths.algebra.sample_points import sample_points
from proofbook.maths.algebra.symbolic import derivative

W = ("w", ())


def holds(one: str, other: str, *conditions: str) -> bool | None:
    trees = [read_latex_condition(condition) for condition in conditions]
    return is_identity(read_latex(one), read_latex(other), trees).holds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("|w|", "w"),
        (r"\max(w, 0)", "w"),
        (r"\mathrm{sign}(w)", "1"),
        (r"\lfloor w/2 \rfloor", "0"),
        (r"\mathrm{sign}(w)^2", "1"),
        (r"\sqrt{w^2}", "w"),
        ("|a + b|", "|a| + |b|"),
        (r"\max(w, 500)", "500"),
        (r"\min(w, -0.001)", "w"),
        (r"|w| \cdot \lvert w - 1 \rvert", "w^2 - w"),
        (r"\mathrm{relu}(w - 1)", r"\mathrm{relu}(w) - 1"),
        ("w^2", "w^3"),
        ("(1, w)", "(1, 2w)"),
    ],
)
def test_a_number_refutes_it(one, other):
    assert holds(one, other) is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("|w|^2", "w^2"),
        (r"\sqrt{w^2}", "|w|"),
        ("|ab|", "|a||b|"),
        (r"\mathrm{sign}(w) w", "|w|"),
        (r"\max(w, 0)", r"\frac{w + |w|}{2}"),
        (r"\max(a, b)", r"-\min(-a, -b)"),
        (r"\max(w - 1, 0) + \min(w - 1, 0)", "w - 1"),
        (r"\lfloor w + 1 \rfloor", r"\lfloor w \rfloor + 1"),
        (r"\frac{1}{1 + \exp(-x)}", r"\frac{\exp(x)}{1 + \exp(x)}"),
        (r"\sqrt{w^2 + 1} - w", r"\frac{1}{\sqrt{w^2 + 1} + w}"),
        (r"\sin(x)^2 + \cos^2 x", "1"),
        ("w / w", "1"),
        ("0.1 g / (1 - 0.9)", "g"),
        ("(a, 2b)", "(2a, 4b) / 2"),
        (r"\mathrm{ReLU}(w)", r"\begin{cases} w & \text{if } w > 0 \\ 0 & w \le 0 \end{cases}"),
    ],
)
def test_it_is_proved(one, other):
    assert holds(one, other) is True


@pytest.mark.parametrize(
    ("one", "other", "condition", "found"),
    [
        ("|w|", "w", "w > 0", True),
        ("|w|", "w", r"w \ge 0", True),
        ("|w|", "-w", "w < 0", True),
        ("|w|", "w", "w > -1", False),
        (r"\max(w, 1)", "w", "w > 1", True),
        (r"\max(w, 1)", "w", "w > 0", False),
        (r"\lfloor w \rfloor", "0", "0 < w < 1", None),
        (r"g / \sqrt{t g^2}", r"1 / \sqrt{t}", "g > 0", True),
        (r"g / \sqrt{t g^2}", r"1 / \sqrt{t}", "t > 0", False),
    ],
)
def test_with_a_condition(one, other, condition, found):
    assert holds(one, other, condition) is found


@pytest.mark.parametrize(
    ("one", "other", "condition"),
    [
        (r"\log(ab)", r"\log a + \log b", r"a > 0 \text{ and } b > 0"),
        (r"\sqrt{ab}", r"\sqrt{a}\sqrt{b}", r"a > 0 \text{ and } b > 0"),
        (r"\log w^2", r"2 \log w", "w > 0"),
        (r"\exp(\log w)", "w", "w > 0"),
        (r"(w^{1/3})^3", "w", "w > 0"),
        ("(a^b)^c", "a^{bc}", "a > 0"),
        ("w^a w^b", "w^{a + b}", "w > 0"),
    ],
)
def test_where_only_one_side_is_a_real_number_a_condition_is_needed(one, other, condition):
    assert holds(one, other) is None
    assert holds(one, other, *condition.split(r" \text{ and } ")) is True


def test_a_vector_is_no_number():
    assert holds(r"\lVert v \rVert", "|v|") is None


def test_kinks_and_both_sides_of_them_are_tried():
    tree = read_latex(r"\max(2w, w + 3) + |w + 0.5|")
    places = {point[W] for point in sample_points([tree], [])}
    assert {3, 3 - 1 / 128, 3 + 1 / 128, -0.5, 0} <= places
    assert min(places) < -100 and max(places) > 100
    assert any(0 < abs(place) < 0.01 for place in places)


@pytest.mark.parametrize(
    ("latex", "by_hand"),
    [
        ("w^3 - 2w", "3w^2 - 2"),
        (r"\frac{w}{1 + w^2}", r"\frac{1 - w^2}{(1 + w^2)^2}"),
        (r"\log(2w) \cdot w", r"\log(2w) + 1"),
        ("|w|", r"\mathrm{sign}(w)"),
        (r"\exp(2w)", r"2\exp(2w)"),
        (r"w_0 w + \cos w", r"w_0 - \sin w"),
    ],
)
def test_a_derivative(latex, by_hand):
    assert is_identity(derivative(read_latex(latex), W), read_latex(by_hand)).holds


def test_sympy_is_imported_where_it_is_needed_only():
    code = (
        "import sys\n"
        "from proofbook.maths.check import verdicts\n"
        "from proofbook.model.page import parse\n"
        "found = verdicts(parse('docs/t/p.en.md', '$1 + 1 = 2$, $y = 3q$, $3(q - 1) = 0$'))\n"
        "assert len(found) == 3 and 'sympy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
