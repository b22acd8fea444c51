"""Exercises in which a reader writes a part of a script: in the notebook, with a cell that checks.

`tests/test_notebook.py` solves those of the book.
"""

from __future__ import annotations

import contextlib
import io

import pytest
from proofbook.directives.exercise import start_code
from proofbook.directives.registry import expand
from proofbook.export.notebook import cells, notebook
from proofbook.html.exercises import place_tasks
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

CODE = """\
w = 2.0
def cube(x):
    return x * x * x
y = cube(w)
y += 1
print("y:", y)
print(
    "w:", w)
"""
OUTPUT = "y: 9.0\nw: 2.0\n"
PAGE = (
    "# T { #t }\n\n::: snippets/t/s.py\n    write: x * x * x | the cube\n    write: y += | add 1\n"
)


@pytest.fixture
def shown(book):
    """A function that gives the pages of a book with this exercise, or with something else."""
    book.write("snippets/t/s.py", CODE)
    book.write("snippets/t/s.out", OUTPUT)

    def shown(old: str = "", new: str = "", language: str = "en"):
        return parse(f"docs/t/p.{language}.md", PAGE.replace(old, new)), read_book(book.root)

    return shown


def test_the_reader_starts_without_the_values_of_these_lines():
    start = start_code(CODE, [("x * x * x", "the cube"), ("y +=", "add 1"), ('("y:"', "print it")])
    assert start.split("\n")[2:6] == [
        "    return ...  # the cube",
        "y = cube(w)",
        "y += ...  # add 1",
        "...  # print it",
    ]


@pytest.mark.parametrize(
    "option",
    [
        "x * x * x",  # no hint
        "w | twice",  # in several lines
        "def cube | a block",
        "print( | more than a line",
        "gone | nowhere",
    ],
)
def test_what_cannot_be_left_out_is_refused(shown, option):
    page, book = shown("x * x * x | the cube", option)
    with pytest.raises(Unproved) as caught:
        expand(page, book)
    [problem] = caught.value.problems
    assert problem.line == 4 and "whole statement" in problem.expected


def code_cells(made) -> list:
    return [cell for cell in made if cell.cell_type == "code"]


def test_only_the_notebook_leaves_lines_to_the_reader(shown):
    page, book = shown()
    start, check = code_cells(notebook(page, book, "en").cells)
    assert "x * x * x" not in start.source and "#     y: 9.0\n" in start.source
    assert "y += " not in check.source and not start.outputs and not check.outputs
    [solution] = code_cells(cells(page, book, "en"))
    assert solution.source == CODE.rstrip() and solution.outputs[0].text == OUTPUT


@pytest.mark.parametrize(
    ("cube", "plus", "said"),
    [
        ("x**3", "1.0", "Right."),
        ("x**3 + 1e-7", "1", "Right."),  # rounded otherwise
        ("x**2", "1", "Line 1 should be y: 9.0, and yours is y: 5.0."),
        ("-x**3", "17", "Right."),
    ],
)
def test_the_check_compares_what_the_program_of_the_reader_prints(shown, cube, plus, said):
    start, check = (cell.source for cell in code_cells(notebook(*shown(), "en").cells))
    solved = start.replace("return ...", f"return {cube}").replace("+= ...", f"+= {plus}")
    assert run(check, [start, solved, "another cell"]) == said
    with pytest.raises(TypeError):
        run(check, [solved, start])  # the last one counts, and isn't finished
    assert run(check, ["another cell"]) == "Run your cell above first, and keep its first line."


def run(check: str, before: list[str]) -> str:
    """What the checking cell prints after these cells."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(check, {"In": [*before, check]})
    return printed.getvalue().strip()


@pytest.mark.parametrize(
    ("formats", "link"),
    [
        ({"notebook": "n", "colab": "c"}, '<a href="c">the notebook in Colab</a>'),
        ({"notebook": "n"}, '<a href="n" download="">the notebook</a>'),
    ],
)
def test_the_page_leads_to_the_notebook(formats, link):
    tree = parse_html('<p><span data-write="2"></span></p><pre>w</pre>')
    place_tasks(tree, formats, "en")
    found = serialize(tree)
    assert f"Write it: {link} leaves 2 lines to you" in found and "data-write" not in found
    place_tasks(tree := parse_html('<p><span data-write="1"></span></p><pre>w</pre>'), {}, "en")
    assert serialize(tree) == "<pre>w</pre>"
