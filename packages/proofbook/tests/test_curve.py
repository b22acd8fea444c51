"""Curves: drawn from what the recorded runs printed, and from nothing else."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from proofbook.directives.curve import data_files, printed_number
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.testing.tiny_book import Book

SCRIPT = 'w = 2.0\nb = 1.0\nprint("loss:", (w - b) ** 2)\nprint("w.grad:", 2 * (w - b))\n'
OPTIONS = """\
    figure: curve
    curve: loss | w.grad
    vary: w = 2.0 | 0 to 4 step 1
    alt: a bowl
    caption: Drag it.
"""
FILE = "docs/t/p.en.md"
TRACED = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 1) ** 2
loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad.item())
"""


@pytest.fixture
def shown(book: Book, proof_command) -> Book:
    """A book in which both pages show the curve of a script."""
    book.write("snippets/t/s.py", SCRIPT)
    for language, options in (("en", OPTIONS), ("zh", OPTIONS + "    words: loss=损失\n")):
        book.change(f"docs/t/p.{language}.md", "    highlight: 3 * w\n", options)
    proof_command("update")
    return book


def test_the_first_number_behind_a_label_at_the_beginning_of_a_line():
    output = "my loss: 5\nlosses: 4\nloss: tensor(-3.5000)\nloss: 2"
    assert printed_number(output, "loss") == -3.5
    with pytest.raises(ValueError, match="begins with 'los'"):
        printed_number(output, "los")


def test_the_ball_stands_where_each_run_is(shown):
    drawn = expand(read_book(shown.root).page(FILE), read_book(shown.root))
    places = json.loads(re.search('data-at="([^"]*)"', drawn)[1])
    assert len(places) == 5
    across = [place[0] for place in places]
    assert [b - a for a, b in pairwise(across)] == pytest.approx(
        [across[1] - across[0]] * 4, abs=0.2
    )
    heights = [place[1] for place in places]  # from the top: losses of 1, 0, 1, 4, 9
    assert heights[0] == heights[2] < heights[1] and heights[4] < heights[3] < heights[2]
    assert places[1][2:] == [-48, 0, 48, 0] and places[3][5] < 0 < places[0][5]
    assert f"translate({across[2]} {heights[2]})" in drawn and "Drag it." in drawn
    assert ">损失<" in expand(read_book(shown.root).page("docs/t/p.zh.md"), read_book(shown.root))


def test_a_slope_that_is_nan_has_no_line(shown, proof_command):
    shown.change("snippets/t/s.py", "2 * (w - b))", '2 * (w - b) if w else float("nan"))')
    proof_command("update")
    drawn = expand(read_book(shown.root).page(FILE), read_book(shown.root))
    places = json.loads(re.search('data-at="([^"]*)"', drawn)[1])
    assert places[0][2:] == [0, 0, 0, 0] and places[1][2:] == [-48, 0, 48, 0]


def test_its_data_is_what_the_runs_print(shown):
    book = read_book(shown.root)
    ((name, text),) = data_files(book.page(FILE), book)
    data = json.loads(text.partition("] = ")[2])
    assert name == "plot-t-s.js"
    assert [data["texts"][row[1]] for row in data["runs"]][3] == "loss: 4.0\nw.grad: 4.0"


def test_two_numbers_make_contour_lines_and_an_arrow_against_the_gradient(shown, proof_command):
    for file in (FILE, "docs/t/p.zh.md"):
        shown.change(file, "curve: loss | w.grad\n", "curve: loss | w.grad | loss\n")
        shown.change(file, "step 1\n", "step 1\n    vary: b = 1.0 | 0 to 3 step 1\n")
    proof_command("update")
    drawn = expand(read_book(shown.root).page(FILE), read_book(shown.root))
    places = json.loads(re.search('data-at="([^"]*)"', drawn)[1])
    assert len(places) == 20 and places[0][2:] == [0, 0, 0, 0]
    assert places[4 * 4][4] < 0 < places[4 * 4][5]  # w = 4, b = 0: to the left, and down


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("loss | w.grad", "los | w.grad", "no line of the output begins with 'los'"),
        ("loss | w.grad", "loss | a | b", "curve: <label> | <label of its slope>"),
        ("    caption: Drag it.\n", "", "caption: <what to notice>"),
        ("    vary: w = 2.0 | 0 to 4 step 1\n", "", "a number to change"),
        ("figure: curve", "figure: grid", "curve: belongs to a curve or a trace"),
    ],
)
def test_what_cannot_be_drawn_is_refused(shown, proof_command, old, new, told):
    for file in (FILE, "docs/t/p.zh.md"):
        shown.change(file, old, new)
    found = proof_command("check", "snippets", "docs")[2]
    assert told in found


def test_a_curve_above_a_graph_is_checked_too(shown, proof_command):
    shown.write("snippets/t/s.py", TRACED)
    for file in (FILE, "docs/t/p.zh.md"):
        shown.change(file, "figure: curve", "figure: trace")
        shown.change(file, "vary: w = 2.0 | 0 to 4", "vary: w = 2.0 | 1 to 4")
    proof_command("update")
    drawn = expand(read_book(shown.root).page(FILE), read_book(shown.root))
    assert drawn.index('class="curve"') < drawn.index("<trace-player")
    shown.change(FILE, "loss | w.grad", "los | w.grad")
    shown.change("docs/t/p.zh.md", "loss | w.grad", "los | w.grad")
    assert (
        "no line of the output begins with 'los'" in proof_command("check", "snippets", "docs")[2]
    )
