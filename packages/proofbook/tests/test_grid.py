"""Grids: drawn from what a snippet printed, and from nothing else."""

from __future__ import annotations

import re

import pytest
from proofbook.directives.grid import draw, matrices
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

OUTPUT = """\
one pixel:
tensor([[0., 1.],
        [0., 0.]])
gradient: tensor([[-0.5000,  2.0000]], dtype=torch.float64)
a vector is no matrix: tensor([1., 2.])
"""
PAGE = "::: snippets/t/s.py\n    figure: grid\n    captions: 一个像素 | <梯度>\n"


@pytest.fixture
def printed(book: Book) -> Book:
    book.write("snippets/t/s.out", OUTPUT)
    return book


def test_matrices():
    assert matrices(OUTPUT) == [[["0.", "1."], ["0.", "0."]], [["-0.5000", "2.0000"]]]


def test_each_matrix_is_drawn_with_its_caption(printed):
    told = expand(parse("t/p.zh.md", PAGE), read_book(printed.root))
    assert told.endswith(
        '```\n\n<div class="grids">\n'
        '<table class="grid"><caption>一个像素</caption><tbody>\n'
        '<tr><td>0</td><td style="--share:100%">1</td></tr>\n'
        "<tr><td>0</td><td>0</td></tr>\n"
        "</tbody></table>\n"
        '<table class="grid"><caption>&lt;梯度&gt;</caption><tbody>\n'
        '<tr><td class="minus" style="--share:25%">-0.5</td><td style="--share:100%">2</td></tr>\n'
        "</tbody></table>\n</div>\n"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAGE.replace(" | <梯度>", ""), "2 in the recorded output"),
        ("::: snippets/t/s.py\n    figure: grid\n", "0 captions"),
        (PAGE.replace("    figure: grid\n", ""), "captions: belongs to a grid"),
        (PAGE.replace("grid", "trace"), "captions: belongs to a grid"),
        (PAGE.replace("grid", "graph"), "there is no such figure"),
        (PAGE + "    figure: grid\n", "the option stands twice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(printed, text, told):
    with pytest.raises(Unproved, match=told):
        expand(parse("docs/t/p.zh.md", text), read_book(printed.root))


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("tensor([[0., ..., 1.]])", "not a finite number"),
        ("tensor([[0., nan]])", "not a finite number"),
        ("tensor([[True]])", "not a finite number"),
        ("tensor([[[0., 1.]]])", "more than two dimensions"),
        ("tensor([[0., 1.], [2.]])", "rows of different lengths"),
        ("tensor([1., 2.])", "0 in the recorded output"),
    ],
)
def test_an_output_that_is_no_matrix_is_refused(printed, output, told):
    printed.write("snippets/t/s.out", output + "\n")
    with pytest.raises(Unproved, match=told):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(printed.root))


def test_a_cell_shows_the_number_as_it_was_printed():
    output = "tensor([[1234567., 0.1234567800, 1.5000e-07, -0., 100.]], dtype=torch.float64)"
    told = "".join(draw(output, ["x"]))
    assert re.findall(r">([^<]+)</td>", told) == ["1234567", "0.12345678", "1.5e-07", "-0", "100"]
