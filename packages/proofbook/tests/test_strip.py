"""Memory drawn as a strip: from what a snippet printed, and from nothing else."""

from __future__ import annotations

import pytest
from proofbook.directives.registry import expand
from proofbook.directives.strip import memories
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

OUTPUT = """\
x: tensor([1., 2., 3., 4.]) version 2
saved x[0]: tensor(1.) offset 0 version 1
last: tensor([[3., 4.]]) offset 2 stride (2, 1)
wide: tensor([2., 2.]) offset 1 stride (0,)
grad: tensor([2., 2.])
"""
PAGE = "::: snippets/t/s.py\n    figure: strip\n    captions: 之后\n    caption: 看 `x`\n"


def test_tensors_lie_where_their_offsets_and_strides_say():
    (memory,) = memories(OUTPUT)
    assert (memory.name, memory.numbers, memory.version) == ("x", ["1.", "2.", "3.", "4."], "2")
    assert [(row.name, row.places) for row in memory.rows] == [
        ("saved x[0]", {0: ["●"]}),
        ("last", {2: ["[0, 0]"], 3: ["[0, 1]"]}),
        ("wide", {1: ["[0]", "[1]"]}),
    ]


def test_the_version_when_saved_is_compared_with_that_of_the_memory(book: Book):
    book.write("snippets/t/s.out", OUTPUT)
    told = expand(parse("t/p.zh.md", PAGE), read_book(book.root))
    assert "存下时版本 1 <b>≠</b> 现在 2" in told
    assert "<figcaption>看 <code>x</code></figcaption>" in told
    book.write("snippets/t/s.out", OUTPUT.replace("version 1", "version 2"))
    assert "≠" not in expand(parse("t/p.zh.md", PAGE), read_book(book.root))


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("x: tensor([1., 2.])", "and 0 lines as h"),
        (OUTPUT.replace("offset 2", "offset 3"), "last is beyond the end of x"),
        (OUTPUT.replace(" stride (2, 1)", ""), "the strides of last are not printed"),
    ],
)
def test_what_cannot_be_drawn_is_refused(book: Book, output, told):
    book.write("snippets/t/s.out", output)
    with pytest.raises(Unproved, match=told):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(book.root))
