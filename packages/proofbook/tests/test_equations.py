"""Equations: what can be computed is computed, and what is wrong is refused."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from proofbook.maths.check import verdicts, wrong_equality
from proofbook.maths.read import Unreadable, read_latex
from proofbook.maths.symbols import NotEvaluated, evaluate
from proofbook.model.page import parse
from proofbook.model.snippet import ShownSnippet, SnippetText
from proofbook.testing.tiny_book import Book


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
        (r"2\,\bigl(1 + 2\bigr)", 6),
        (r"\min(3, 2)", 2),
        (r"1 / \infty", 0),
        (r"\sqrt[3]{8}", 2),
        (r"\max\{2, 3\}", 3),
        (r"\lfloor -0.5 \rfloor", -1),
        (r"\frac{\partial L}{\partial w}", None),
        ("1 / 0", None),
        ("(1 + 2", None),
        ("", None),
    ],
)
def test_the_value_of_an_expression(latex, value):
    if value is None:
        with pytest.raises((Unreadable, NotEvaluated)):
            evaluate(read_latex(latex), {})
    else:
        assert math.isclose(evaluate(read_latex(latex), {}), value)


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
        (ALIGNED.replace("aligned", "align").replace("$$\n", ""), [r"2 \times 2 = 5"]),
        (r"\(2 + 2 = 5\), and \\(2 + 2 = 6\\)", ["2 + 2 = 5"]),
        ("\\[\n2 + 2 = 5\n\\]", ["2 + 2 = 5"]),
        ("$2 +\n2 = 5$", ["2 + 2 = 5"]),
        ("`$1 = 2$` costs $5 or $6 = 7", []),
        ("$1 = 1, \\qquad 2 = 3$", ["2 = 3"]),
    ],
)
def test_what_is_wrong_in_a_page(text, wrong):
    found = [p.found for p in wrong_in(parse("docs/t/p.en.md", text))]
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
        "  fix:      correct the equation, in both languages\n\n"
        "1 problem. Nothing was changed.\n"
    )


CODE = """\
w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor([3.0, 4.0])
x = torch.zeros(1)
y1 = 2 * w + 1
y2 = 2 * y1
optimizer = torch.optim.SGD([w], lr=0.1)
"""
OUTPUT = "w.grad: tensor(60.)\nafter step, w: tensor(-4., requires_grad=True)\na: 0.6667\n"
PAGE = "# Title {{ #t }}\n\n::: snippets/t/s.py\n\n{}\n"


def wrong_in(page, runs=()) -> list:
    found = verdicts(page, runs)
    return [wrong_equality(page, verdict) for verdict in found if verdict.state == "wrong"]


def run_of(code: str, output: str) -> ShownSnippet:
    return ShownSnippet((SnippetText(code, "code"), SnippetText(output)))


def states(text: str, code: str = CODE, output: str = OUTPUT) -> list[str]:
    """What is found of each equality of a page with one run."""
    page = parse("docs/t/p.en.md", PAGE.format(text))
    return [one.state for one in verdicts(page, [run_of(code, output)])]


RIGHT_AND_WRONG = [
    ("$w = 2$", "$w = 7$"),
    ("$w = 2 - 6 = -4$", "$w = 2 - 6 = -5$"),
    ("$v = (3, 4)$", "$v = (3, 7)$"),
    ("$y_2 = 10$", "$y_2 = 11$"),
    (r"$a \approx 0.667$", r"$a \approx 0.677$"),
    (r"$2 y_2 \cdot 2 = 40$", r"$2 y_2 \cdot 2 = 41$"),
    (r"$30w = 30 \times 2$", r"$30w = 30 \times 3$"),
    (r"$2 (7 - v_0) = 8$", r"$2 (8 - v_0) = 8$"),
    (r"$3v = (9, 12)$", r"$3v = (9, 13)$"),
    (r"$v \cdot v = 25$", r"$v \cdot v = 26$"),
    (r"$1 \times (1,2,3) + 3 \times (7,8,9) = (22,26,30)$",
     r"$1 \times (1,2,3) + 3 \times (7,8,9) = (22,26,31)$"),
    (r"$\underbrace{2(y_2 - 1)}_{18} = 18$", r"$\underbrace{2(y_2 - 1)}_{19} = 18$"),
    ("$(3w)(5w) = 15w^2$", "$(3w)(5w) = 16w^2$"),
    ("$2r + r(6 - 4r) = 8r - 4r^2$", "$2r + r(6 - 4r) = 8r - 5r^2$"),
    ("$y_1 = 2w + 1$", "$y_1 = 2w + 2$"),
    (r"$z = 3u$, $\frac{\partial z}{\partial u} = 3$",
     r"$z = 3u$, $\frac{\partial z}{\partial u} = 4$"),
    (r"$\partial(2w)/\partial w = 2$", r"$\partial(2w)/\partial w = 3$"),
    (r"$y = w^3$, $\frac{d^2y}{dw^2} = 6w = 12$", r"$y = w^3$, $\frac{d^2y}{dw^2} = 5w = 12$"),
    (r"$o = \sum_i q_i z_i$, $\frac{\partial o}{\partial z_i} = q_i$",
     r"$o = \sum_i q_i z_i$, $\frac{\partial o}{\partial z_i} = 2 q_i - 3 q_i$"),
    (r"$y = w^2$, $\frac{\partial |y|}{\partial w} = \operatorname{sign}(y) \times 2w = 4$",
     r"$y = w^2$, $\frac{\partial |y|}{\partial w} = \operatorname{sign}(y) \times 3w = 4$"),
    (r"$\begin{pmatrix} 2w & 1 \\ 0 & w \end{pmatrix} = \begin{pmatrix} 4 & 1 \\ 0 & 2 "
     r"\end{pmatrix}$",
     r"$\begin{pmatrix} 2w & 1 \\ 0 & w \end{pmatrix} = \begin{pmatrix} 4 & 1 \\ 0 & 3 "
     r"\end{pmatrix}$"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong"), RIGHT_AND_WRONG)
def test_with_letters(right, wrong):
    assert set(states(right)) <= {"proved", "computed"}
    assert "wrong" in states(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "$2(q - 3) = 0$",
        "$2(w - 3) = 0$",
        r"$\frac{\partial (w - 3)^2}{\partial w} = 0$",
        "$q = 7$",
        "$q^2 = 4$",
        r"$y_o = \sum_u k_u\, x_{so + u - p}$",
        r"$\frac{\partial L}{\partial b_j} = \sum_i v_{ij}$",
        r"$z = yW^\top$",
        "$b_t = 0.9 b_{t-1} + g_t$",
        "$w = 1$",
    ],
)
def test_what_nothing_refutes_is_left_open(text):
    assert states(text) == ["open"]


def test_a_printed_gradient_proves():
    assert states(r"$\frac{\partial L}{\partial w} = 30w = 60$") == ["proved", "proved"]


def test_a_definition_is_proved_by_what_follows_from_it():
    assert states("$q = 5r$") == ["open"]
    assert states(r"$q = 5r$, $\frac{\partial q}{\partial r} = 5$") == ["proved", "proved"]


def test_values_of_the_same_section_come_first():
    text = "$w = 2$, $30w = 60$\n\n## Then {{ #then }}\n\nAt $w = -4$ it is $30w = -120$.\n"
    assert set(states(text)) == {"proved"}


def test_the_problem_says_where_the_values_come_from():
    page = parse("docs/t/p.en.md", PAGE.format("$30w = 62$"))
    (problem,) = wrong_in(page, [run_of(CODE, OUTPUT)])
    assert (problem.line, problem.expected, problem.found) == (5, "60 (with w = 2)", "30w = 62")


def test_code_that_cannot_be_read_is_not_run():
    code = "import os\nw = os.system('exit 1')\nw = eval('3')\nw = __import__('os').getpid()\n"
    assert states("$w = 3$", code, "") == ["open"]
    assert states("$w = 3$", "w = (", "w: 3.0\n") == ["proved"]


FALSE_FOR_SOME_SIGN = [
    "$|q| = q$",
    r"$\max(q, 0) = q$",
    r"$\mathrm{sign}(q) = 1$",
    r"$\lfloor q/2 \rfloor = 0$",
    r"$2|q| = 2q$",
    r"$\sqrt{q^2} + 1 = q + 1$",
    r"$y = |q|$, $\frac{\partial y}{\partial q} = 1$",
]


@pytest.mark.parametrize("text", FALSE_FOR_SOME_SIGN)
def test_what_holds_for_some_signs_only_is_not_proved(text):
    assert states(text)[-1] == "open"


@pytest.mark.parametrize("text", [one for one in FALSE_FOR_SOME_SIGN if "floor" not in one])
def test_it_is_proved_where_the_page_says_the_sign_or_the_value(text):
    assert states(f"{text} for $q > 0$")[-1] == "proved"
    assert states(f"Let $0 < q < 3$.\n\n{text}")[-1] == "proved"
    text = text.replace("q", "w").replace("swrt", "sqrt")
    assert states(text)[-1] == "proved"  # w is 2
    assert states(text, CODE.replace("2.0", "-2.0"), "")[-1] != "proved"


def test_a_floor_is_computed_with_the_values_of_the_page():
    assert states(r"$q = 0.5$, $\lfloor q/2 \rfloor = 0$")[1] == "proved"
    assert states(r"$q = 5$, $\lfloor q/2 \rfloor = 1$")[1] == "wrong"


def test_a_condition_holds_in_its_section_until_the_next_one():
    text = "For $q > 0$: $|q| = q$. For $q < 0$: $|q| = -q$."
    assert states(text) == ["proved", "proved"]
    assert states(text.replace("-q", "q")) == ["proved", "open"]
    assert states("For $q > 0$: $q$.\n\n## Then {{ #then }}\n\n$|q| = q$") == ["open"]
    assert states(r"$2|q - 1| = 2(q - 1)$, where $q \ge 1$") == ["proved"]
    assert states(r"$2|q - 1| = 2(q - 1)$, where $q \ge 0$") != ["proved"]


@pytest.mark.parametrize(
    "text",
    [
        "$(2q + 1)^2 = 4q^2 + 4q + 2$",
        r"$2|q| = 3\sqrt{q^2}$",
        r"$y = (3q + 1)^2$, $\frac{\partial y}{\partial q} = 2(3q + 1)$",
    ],
)
def test_what_fails_for_positive_numbers_too_is_wrong(text):
    page = parse("docs/t/p.en.md", PAGE.format(text))
    (problem,) = wrong_in(page, [run_of(CODE, OUTPUT)])
    assert problem.expected.startswith("two sides that are the same, whatever the letters are (try")


def test_code_that_agrees_for_positive_numbers_alone_proves_nothing():
    code = "u = torch.tensor(3.0)\ny = 2 * u\nprint(y.abs())\n"
    assert states("$y = 2u$", code, "") == ["proved"]
    assert states("$y = 2|u|$", code.replace("3.0", "t"), "") == ["open"]


SIGMOID = r"$\sigma(x) = \frac{1}{1 + e^{-x}}$, "


@pytest.mark.parametrize(
    "text",
    [
        SIGMOID + r"$\sigma'(x) = \sigma(x)(1 - \sigma(x))$",
        SIGMOID + r"$\frac{d}{dx} \sigma(x) = \sigma(x) (1 - \sigma(x))$",
        SIGMOID + r"$\sigma(-x) = 1 - \sigma(x)$",
        "$f(x) = x^3$, $f'(x) = 3x^2$, $f''(u) = 6u$",
        r"$\frac{d}{dq} q^3 = 3q^2$",
        r"$y = \max(q, 0)$, $\frac{\partial y^2}{\partial q} = 2\max(q, 0)$",
        r"$z = q^2$, $y = \log(1 + z)$, $\frac{dy}{dq} = \frac{2q}{1 + q^2}$",
        r"$r(q) = \begin{cases} q & q > 0 \\ 0 & \text{else} \end{cases}$, $r(q) = \max(q, 0)$",
        r"$$\begin{align} (3q)^2 &= 9q^2 \tag{1} \\[4pt] &= 3q \cdot 3q \nonumber \end{align}$$",
    ],
)
def test_formulas_that_follow_from_others(text):
    assert set(states(text)) == {"proved"}


def test_a_function_by_cases_is_computed():
    text = r"$f(x) = \begin{cases} 2x & x > 0 \\ 0 & x \le 0 \end{cases}$, $f(-2) = 0$, $f(3) = 6$"
    assert states(text) == ["proved", "proved", "proved"]
    assert states(text.replace("= 6", "= 7"))[2] == "wrong"


def test_e_is_a_letter_where_the_page_says_so():
    assert states(r"$\log(4e) - 1 = \log 4$") == ["computed"]
    assert states(r"$e = 2q$, $\log(4e) - 1 = \log 4$")[1] == "open"


def test_the_command_lists_what_nobody_evaluated(book: Book, proof_command):
    book.change("docs/t/p.en.md", "It is 6.", "It is 6: $y = 3w = 6$, $z = 3q$.")
    status, told, _ = proof_command("unproved", "docs/t/p.en.md")
    assert status == 0
    assert told == (
        "docs/t/p.en.md:3: z = 3q\n1 equation on 1 page: neither evaluated nor refuted.\n"
    )


PRODUCT = "a = torch.tensor(2.0)\nb = torch.tensor(3.0)\nloss = 10 * product(a, b)\n"
PRINTED = "a.grad: tensor(30.)\nb.grad: tensor(20.)\n"


@pytest.mark.parametrize(
    ("text", "output", "found"),
    [
        (r"$\partial L/\partial b = 20$", PRINTED, ["proved"]),
        (r"$\partial L/\partial b = 30$", PRINTED, ["wrong"]),
        (r"$\frac{\partial L}{\partial a} = 10 \times a = 20$", PRINTED, ["wrong", "proved"]),
        (r"$\frac{\partial L}{\partial a} = 10 \times b = 30$", PRINTED, ["proved", "proved"]),
        (r"$\partial L/\partial b = 0$", PRINTED, ["wrong"]),
        (r"$\partial L/\partial c = 30$", PRINTED, ["open"]),  # no such label
        (r"$\partial L/\partial b = 30$", PRINTED + "b.grad: tensor(40.)\n", ["open"]),  # two
        (r"$\partial L/\partial b = 40$", PRINTED + "b.grad: tensor(40.)\n", ["proved"]),
        (r"$\partial L_1/\partial b = 8$", PRINTED, ["open"]),  # of another loss
        (
            r"$\frac{\partial L}{\partial a} = "
            r"\frac{\partial L_1}{\partial a} + \frac{\partial L_2}{\partial a}$",
            PRINTED,
            ["open"],
        ),
        ("## Two { #two }\n\n" + r"$\partial L/\partial b = 30$", PRINTED, ["wrong"]),
    ],
)
def test_a_derivative_is_judged_by_the_printed_gradient_of_its_section(text, output, found):
    assert states(text, PRODUCT, output) == found


@pytest.mark.parametrize(
    ("latex", "state"),
    [
        ("9^{9^{9^9}} = 1", "wrong"),
        ("1 = 9^{9^{9^9}}", "wrong"),
        ("9^{9^{9^{9^{9^9}}}} = 9^{9^{9^9}}", "open"),
        ("-9^{9^{9^9}} + 1 = 2", "wrong"),
        ("10^{400} = 10^{200}", "wrong"),
        ("2^{10^5} = 4^{50001}", "open"),
        ("9^{9^{9^9}} = 9^{9^{9^9}}", "computed"),
        ("9^{9^{9^9}} = 9^{9^{9^{3^2}}}", "open"),
        ("10^{400} / 10^{399} = 10", "computed"),
        ("2^{10^5} = 4^{50000}", "open"),
        ("(1, 2) = (1, 10^{400})", "open"),
        ("x^{9^{9^9}} = 1", "open"),
    ],
)
def test_numbers_that_no_float_holds(latex, state):
    page = parse("docs/t/p.en.md", PAGE.format(f"${latex}$"))
    assert [one.state for one in verdicts(page)] == [state]


@pytest.mark.parametrize(
    "latex",
    [
        r"|ab| = |a||b|",
        r"\sqrt{w^2} = |w|",
        r"\mathrm{sign}(w) w = |w|",
        r"\max(a, b) = -\min(-a, -b)",
        r"\lfloor w + 1 \rfloor = \lfloor w \rfloor + 1",
        r"\frac{1}{1 + \exp(-x)} = \frac{\exp(x)}{1 + \exp(x)}",
        r"\sqrt{w^2 + 1} - w = \frac{1}{\sqrt{w^2 + 1} + w}",
        r"\sin(x)^2 + \cos^2 x = 1",
        r"0.1 g / (1 - 0.9) = g",
        r"1/2 x = \tfrac12 x",
        r"\mathrm{ReLU}(w) = \begin{cases} w & \text{if } w > 0 \\ 0 & w \le 0 \end{cases}",
    ],
)
def test_identities(latex):
    page = parse("docs/t/p.en.md", PAGE.format(f"${latex}$"))
    assert [one.state for one in verdicts(page)] == ["proved"]


@pytest.mark.parametrize(
    ("latex", "condition"),
    [
        (r"\log(ab) = \log a + \log b", "$a > 0$ and $b > 0$"),
        (r"\sqrt{ab} = \sqrt{a}\sqrt{b}", "$a > 0$ and $b > 0$"),
        (r"\log w^2 = 2 \log w", "$w > 0$"),
        (r"(a^b)^c = a^{bc}", "$a > 0$"),
        (r"\max(w, 1) = w", "$w > 1$"),
    ],
)
def test_where_a_condition_is_needed(latex, condition):
    for text, state in ((f"${latex}$", "open"), (f"For {condition}: ${latex}$.", "proved")):
        page = parse("docs/t/p.en.md", PAGE.format(text))
        assert [one.state for one in verdicts(page)] == [state]


@pytest.mark.parametrize(
    ("latex", "state"),
    [
        (r"(1, 2) \cdot (3, 4) = 11", "computed"),
        (r"(1, 2) \cdot (3, 4) + 1 = 12", "open"),
        (r"\lVert (3, 4) \rVert = 5", "computed"),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} (1, 1) = (3, 7)", "open"),
        (r"1\,000 + 1 = 1001", "computed"),
        (r"0 \times \infty = \text{nan}", "computed"),
        (r"x = \pm 2", "open"),
        (r"1 + 2 + \dots + 9 = 45", "open"),
        (r"\{1, 2\} = \{1, 2\}", "open"),
        ("+".join("1" * 2000) + " = 2000", "open"),
        ("(" * 200 + "1" + ")" * 200 + " = 1", "open"),
        (r"\sum_{i=1}^{90} \sum_{j=1}^{90} x_{ij} = 1", "open"),
        (r"\exp(\exp(\exp(\exp(100)))) = 3", "open"),
        (r"(x + 1)^{10000} = x", "open"),
    ],
)
def test_nothing_else_is_refused_and_nothing_takes_long(latex, state):
    page = parse("docs/t/p.en.md", PAGE.format(f"${latex}$"))
    assert [one.state for one in verdicts(page)] == [state]


def test_sympy_is_not_imported_with_the_package():
    code = (
        "import sys, proofbook.check.registry; assert not {'sympy', 'numpy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
