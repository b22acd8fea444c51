"""The line below a title: in which part of the book a page is, and how long one reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofbook.content.lessons import minutes, where_in_book
from proofbook.model.book import read_book
from proofbook.model.page import parse

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = "\n\n::: snippets/t/s.py\n"


@pytest.mark.parametrize(
    ("text", "spent"),
    [
        ("一。", 1),
        ("字" * 1200, 3),
        ("word " * 880, 4),
        ("字" * 1200 + " `code`" * 400, 3),
        ("字" * 1200 + SCRIPT * 4, 5),
    ],
)
def test_the_minutes_of_a_page_are_those_of_its_words_and_scripts(text, spent):
    assert minutes(parse("docs/t/p.zh.md", f"# T {{ #t }}\n\n{text}\n")) == spent


@pytest.mark.parametrize(
    ("file", "where"),
    [
        ("labs/index.zh.md", "第 20 部分 · 共 3 页"),
        ("labs/depth.zh.md", "第 20 部分 · 实验室 · 约 {} 分钟"),
        ("labs/depth.en.md", "Part 20 · Labs · about {} minutes"),
        ("index.en.md", ""),
        ("glossary/index.en.md", ""),
    ],
)
def test_a_page_is_in_a_part_of_the_book(file, where):
    book = read_book(ROOT)
    spent = minutes(book.page(f"docs/{file}"))
    assert where_in_book(book, f"docs/{file}") == where.format(spent)
