"""Grids: drawn from what a snippet printed, and from nothing else."""

from __future__ import annotations

import re

import pytest
from proofbook.directives.grid import cell_groups, draw, matrix, parse_links, tensors
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
PAGE = "::: snippets/t/s.py\n    figure: grid\n    captions: 一个像素 | <梯度> | -\n"


@pytest.fixture
def printed(book: Book) -> Book:
    book.write("snippets/t/s.out", OUTPUT)
    return book


def test_matrices():
    read = [matrix(*tensor) for tensor in tensors(OUTPUT)]
    assert read == [[["0.", "1."], ["0.", "0."]], [["-0.5000", "2.0000"]], [["1.", "2."]]]


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


def test_in_a_box_every_line_is_indented(printed):
    page = '??? question "?"\n' + re.sub("(?m)^", "    ", PAGE)
    told = expand(parse("t/p.zh.md", page), read_book(printed.root))
    assert all(line.startswith("    ") for line in told.strip().split("\n")[1:] if line)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAGE.replace(" | <梯度>", ""), "3 in the recorded output"),
        ("::: snippets/t/s.py\n    figure: grid\n", "0 captions"),
        (PAGE.replace("    figure: grid\n", ""), "captions: belongs to a grid or a strip"),
        (PAGE.replace("grid", "plot"), "captions: belongs to a grid or a strip"),
        (PAGE + "    links: [i, j]\n", "links of 1 tensors, and 2 are drawn"),
        (PAGE + "    links: [i, j] | [i, j!]\n", "the index 'j!'"),
        (PAGE + "    links: [i, j] | [i, j]\n    lit: 3[0, 0]\n", "lit: 3"),
        (PAGE + "    links: [i, j] = [0, j]\n", "products that add up to 0 where -0.5 is printed"),
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
        ("tensor(1.)", "0 in the recorded output"),
    ],
)
def test_an_output_that_is_no_matrix_is_refused(printed, output, told):
    printed.write("snippets/t/s.out", output + "\n")
    page = PAGE.replace(" | <梯度> | -", "")
    with pytest.raises(Unproved, match=told):
        expand(parse("docs/t/p.zh.md", page), read_book(printed.root))


def test_a_cell_shows_the_number_as_it_was_printed():
    output = "tensor([[1234567., 0.1234567800, 1.5000e-07, -0., 100.]], dtype=torch.float64)"
    told = "".join(draw(_reference("captions: x"), output, "en"))
    assert re.findall(r">([^<]+)</td>", told) == ["1234567", "0.12345678", "1.5e-07", "-0", "100"]


CONVOLUTION = """\
tensor([[1., 2., 3.], [0., 1., 0.]]) tensor([[1., 10.]]) tensor([[10., 30.]])
"""


def test_cells_of_a_convolution_belong_together_and_add_up():
    (links,) = parse_links("[i, 2j+a-1] * [0, a] = [i, j]", 3)
    grids = [matrix(*tensor) for tensor in tensors(CONVOLUTION)]
    grids[0], grids[2] = grids[0][:1], [["10.", "32."]]
    groups = cell_groups(links, grids)
    # The first output has the weight 1 in the padding; cells are counted through the figure.
    assert groups == [[-1, 3, 5], [0, 4, 5], [1, 3, 6], [2, 4, 6]]
    with pytest.raises(ValueError, match="add up to 32 where 31 is printed"):
        cell_groups(links, [*grids[:2], [["10.", "31."]]])


def test_a_bound_for_a_letter_and_a_vector_as_a_column():
    (links,) = parse_links("[2i+a, 0] | [i, 0] for a < 2", 2)
    assert cell_groups(links, [[["1"]] * 4, [["1"]] * 2]) == [[0, 4], [1, 4], [2, 5], [3, 5]]
    options = "captions: J | v | -", "links: [i, j] | [i, 0]", "lit: 2[1, 0]", "caption: see `v`"
    output = "tensor([[1., 2.], [3., 4.]]) tensor([1., 10.]) tensor([1.])"
    told = "".join(draw(_reference(*options), output, "en"))
    assert told.count("<tr>") == 4
    assert re.findall(r'class="(lit|chosen)"[^>]*>(\d+)<', told) == [
        ("lit", "3"), ("lit", "4"), ("chosen", "10")
    ]  # fmt: skip
    assert told.endswith("<figcaption>see <code>v</code></figcaption></figure>")


def test_indices_that_were_printed_and_a_second_sum():
    grids = [[["2", "0", "2"]], [["1.", "10.", "100."]], [["10.", "0.", "101."]]]
    first, second = parse_links("[k] | [k] = [1[k]]; [k] | - | -", 3)
    assert cell_groups(first, grids) == [[0, 3, 8], [1, 4, 6], [2, 5, 8]]
    assert (first.factors, first.total) == ([1], 2)
    assert cell_groups(second, grids) == []


def _reference(*options: str):
    text = "\n    ".join(("::: snippets/t/s.py", "figure: grid", *options))
    return parse("docs/t/p.en.md", text + "\n").references[0]
