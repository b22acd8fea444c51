"""A page that moved leaves its address: it leads to the section that has its text now."""

from __future__ import annotations

import pytest
from proofbook.check.links import wrong_moves
from proofbook.content.moved import redirects
from proofbook.model.book import read_book
from proofbook.testing.tiny_book import Book


def problems(book: Book, text: str) -> list[tuple[int, str]]:
    book.write("docs/moved.toml", text)
    return [(problem.line, problem.what) for problem in wrong_moves(read_book(book.root))]


def test_an_old_address_leads_to_a_section_of_a_page_that_is_there(book):
    assert problems(book, '# moved\n"u/old" = "t/p#three-times"\n') == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('"t/p" = "t/p#three-times"', "the old address is that of a page"),
        ('"u/old" = "t/p#none"', "the new address leads to no section"),
        ('"u/old" = "t/q#three-times"', "the new address leads to no section"),
        ('"u/old" = "t/p"', "this is not a page that moved"),
    ],
)
def test_a_line_that_cannot_hold_is_reported(book, line, what):
    assert problems(book, f"# moved\n{line}\n") == [(2, what)]


def test_the_page_at_the_old_address_keeps_the_sections_that_are_there(book):
    book.write("docs/moved.toml", '"u/old" = "t/p#three-times"\n')
    ((path, text),) = redirects(read_book(book.root), "en")
    assert path == "u/old/index.html"
    assert '<a href="../../t/p/#three-times">What is three times w?</a>' in text
    assert 'places = {"three-times": "../../t/p/#three-times"}' in text


def test_a_section_may_have_gone_to_another_page(book):
    for code in ("zh", "en"):
        book.write(f"docs/t/q.{code}.md", "# Q { #q }\n")
    lines = '"u/old" = "t/p#three-times"\n"u/old#part" = "t/q#q"\n'
    assert problems(book, lines) == []
    ((_, text),) = redirects(read_book(book.root), "en")
    assert '"part": "../../t/q/#q"' in text


def test_the_first_page_of_a_part_has_the_address_of_its_folder(book):
    for code in ("zh", "en"):
        book.write(f"docs/t/index.{code}.md", "# T { #t }\n")
    book.write("docs/moved.toml", '"u/old" = "t/index#t"\n')
    ((_, text),) = redirects(read_book(book.root), "zh")
    assert 'href="../../t/#t"' in text
