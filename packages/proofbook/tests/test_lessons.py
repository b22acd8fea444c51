"""The parts of a book, and the list of the lessons of each."""

from __future__ import annotations

import pytest
from proofbook.content.lessons import parts, where_in_book
from proofbook.directives.registry import expand
from proofbook.model.book import Book, read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

NAV = """\
nav:
  - index.md
  - a: [a/index.md, a/two.md, a/one.md]
  - alone/index.md
  - b: [b/index.md, a/old.md]
  - end.md
plugins: [proofbook: {languages: [en, zh]}]
"""
NAMES = ("index", "a/index", "a/two", "a/one", "alone/index", "b/index", "a/old", "end")


@pytest.fixture
def parted(book) -> Book:
    book.write("mkdocs.yml", NAV)
    for name in NAMES:
        for code in ("en", "zh"):
            book.write(f"docs/{name}.{code}.md", f"# `{name}` in {code} {{ #{name[0]} }}\n\nA.\n")
    return read_book(book.root)


def listed(book: Book, options: str = "", file: str = "docs/a/index.en.md") -> list[str]:
    return expand(parse(file, f"# A\n\n::: lessons\n{options}"), book).split("\n")[2:]


def test_a_part_is_what_the_navigation_has_behind_its_first_page(parted):
    assert parts(parted) == {"a/index": ("a/two", "a/one"), "b/index": ("a/old",)}
    assert where_in_book(parted, "docs/a/one.en.md").startswith("a/index in en · 2 of 2 · about")
    for name in ("alone/index", "end", "index", "a/old", "b/index"):  # old: of another folder
        assert where_in_book(parted, f"docs/{name}.en.md") == ""


def test_the_lessons_are_listed_in_their_order_with_their_minutes(parted):
    assert listed(parted)[:2] == [
        "1. [`a/two` in en](two.en.md) · 1 minute",
        "2. [`a/one` in en](one.en.md) · 1 minute",
    ]
    long = parted.with_texts({"docs/a/two.zh.md": "# 甲 { #a }\n\n" + "字" * 1200})
    options = "    about: two | 学 `w`\n"
    assert listed(long, options, "docs/a/index.zh.md")[0] == (
        "1. [甲](two.zh.md) · 3 分钟<br>学 `w`"
    )


@pytest.mark.parametrize(
    ("file", "options", "line"),
    [
        ("docs/a/one.en.md", "", 3),
        ("docs/a/index.en.md", "    about: three | it\n", 4),
        ("docs/a/index.en.md", "    about: one\n", 4),
        ("docs/a/index.en.md", "    about: one | it\n    about: one | it\n", 5),
    ],
)
def test_what_cannot_be_listed_is_told(parted, file, options, line):
    with pytest.raises(Unproved) as raised:
        listed(parted, options, file)
    assert [problem.line for problem in raised.value.problems] == [line]
