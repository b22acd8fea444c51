"""Equations: what can be computed is computed, and what is wrong is refused."""

from __future__ import annotations

import math

import pytest
from tiny_book import ROOT, Book

from proof.book import read_book
from proof.equations import equalities, number, wrong_equalities
from proof.page import parse


@pytest.mark.parametrize(
    ("latex", "value"),
    [
        ("60", 60),
        ("-0.5", -0.5),
        (r"1 - 0.1 \times (0 + 1 \times 1)", 0.9),
        (r"2(y - 3)", None),
        (r"2(6 - 3)\cdot 2\cdot 2", 24),
        (r"\frac{0.25}{25} + \tfrac{1}{2}", 0.51),
        (r"\sqrt{3^2 + 4^2}", 5),
        (r"10^{-8}", 1e-8),
        (r"2 \times (-4.8 - 1) \times (-1.6)", 18.56),
        (r"-3^2", -9),
        (r"1 / 4 / 5", 0.05),
        (r"|-3| + \lvert -2 \rvert", 5),
        (r"\left(1 - 0.9\right) \bigl(2\bigr)", 0.2),
        (r"\log 4", math.log(4)),
        (r"2 \times - 3", -6),
        ("2w", None),
        (r"\frac{\partial L}{\partial w}", None),
        ("1 / 0", None),
        ("(1 + 2", None),
        ("", None),
    ],
)
def test_the_value_of_an_expression(latex, value):
    found = number(latex)
    assert found is None if value is None else math.isclose(found, value)


ALIGNED = r"""
$$
\begin{aligned}
a &= 1 + 1 = 2 \\
b &= 2 \times 2 = 5
\end{aligned}
$$
"""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("$2 + 2 = 4$", []),
        ("$2 + 2 = 5$", ["2 + 2 = 5"]),
        ("$w = 2 \\times 3 = 7 - 1 = 5$", ["7 - 1 = 5"]),
        ("$x = 2w = 5$", []),
        ("$1 / 3 \\approx 0.33$", []),
        ("$1 / 3 \\approx 0.34$", [r"1 / 3 \approx 0.34"]),
        ("$1 / 3 = 0.3333$", ["1 / 3 = 0.3333"]),
        (ALIGNED, [r"2 \times 2 = 5"]),
        ("`$1 = 2$` costs $5 or $6 = 7", []),
        ("$1 = 1, \\qquad 2 = 3$", ["2 = 3"]),
    ],
)
def test_what_is_wrong_in_a_page(text, wrong):
    found = [p.found for p in wrong_equalities(parse("docs/t/p.en.md", text))]
    assert found == wrong


def test_the_check_tells_the_line_and_the_right_value(book: Book, proof_command):
    book.change("docs/t/p.en.md", "It is 6.", "It is $2 \\times 3 = 7$.")
    book.change("docs/t/p.zh.md", "是 6。", "是 $2 \\times 3 = 7$。")
    status, _, told = proof_command("check", "docs/t/p.en.md")
    assert status == 1
    assert told == (
        "docs/t/p.en.md:3: the two sides of the equation differ\n"
        "  expected: 6\n"
        "  found:    2 \\times 3 = 7\n"
        "  mend:     correct the equation, in both languages\n\n"
        "1 problem. Nothing was changed.\n"
    )


def test_the_equations_of_the_book_that_hold_letters_are_the_smaller_part():
    found = [e for page in read_book(ROOT).pages for e in equalities(page)]
    computed = [e for e in found if e.computed]
    assert all(e.holds for e in computed)
    assert len(computed) >= 400, f"{len(computed)} of {len(found)} equalities can be computed"
