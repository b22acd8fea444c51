"""A page's title and answer in plain words, and its Markdown twin."""

from __future__ import annotations

import re

import pytest
from proofbook.content.page_summary import answer, title
from proofbook.export.site_files import markdown_copy
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.testing.tiny_book import EN, Book

LONG = "B " * 80 + "end."


def page(text: str) -> str:
    return f"# A title {'{ #t }'}\n\n{text}\n\nAnother paragraph.\n"


SAID = {
    "the first sentence, and those after it": ("One. Two.", "One. Two."),
    "code, where a point ends nothing": (
        "Call `a.b()`. Then `x. Y`. Done.",
        "Call a.b(). Then x. Y. Done.",
    ),
    "a formula": (r"So $48 + 12 \times \frac{1}{2} \approx 54$.", "So 48 + 12 × 1/2 ≈ 54."),
    "a link": ("See [the `w` page](a/b.md#c) now.", "See the w page now."),
    "emphasis and attributes": ("It is **so** *big*{ .x } and a_b_c.", "It is so big and a_b_c."),
    "what only points below is left out": ("It is 6. Look below:", "It is 6."),
    "a short one takes the next, however long": (f"Yes. {LONG}", f"Yes. {LONG}"),
    "a long one stands alone": (f"{'a ' * 40}so. {LONG}", f"{'a ' * 40}so."),
}


@pytest.mark.parametrize("text, said", SAID.values(), ids=SAID)
def test_the_answer_is_what_stands_below_the_title(text, said):
    assert answer(parse("", page(text))) == said


@pytest.mark.parametrize(
    "text, said",
    [
        ("You ask. **It is 6.** See.\n\nMore.", "It is 6. See."),
        ("You ask.\n\nWell, **`a` is 6**. So.", "a is 6. So."),
        ("你问。\n\n**是 6。** 因为。", "是 6。 因为。"),
        ("You **ask** it.\n\n**Why**", "You ask it."),
        ("You ask.\n\n## Why\n\n**It is 6.**", "You ask."),
        ("You ask.\n\n::: snippets/t/s.py\n\n**It is 6.**", "You ask."),
    ],
)
def test_the_answer_is_the_first_sentence_in_bold(text, said):
    assert answer(parse("", f"# T\n\n{text}\n")) == said
    labels = parse("docs/t/index.en.md", f"# T\n\nFirst.\n\n{text}\n")
    assert answer(labels).startswith("First.")


@pytest.mark.parametrize(
    "text", ["## Why", "::: snippets/t/s.py", "- a", "1. a", "!!! note", "```\nx\n```", "| a |", ""]
)
def test_a_page_whose_title_no_text_follows_has_no_answer(text):
    assert answer(parse("", f"# T\n\n{text}\n")) == ""


def test_the_title_keeps_its_code_and_loses_its_anchor():
    page = parse("", "---\nx: 1\n---\n# Why `w`? { #why }\n")
    assert title(page) == "Why `w`?"


def test_the_markdown_copy_of_a_page_is_plain_markdown(tmp_path):
    book = Book(tmp_path / "book")
    book.write(
        "docs/t/p.en.md",
        EN.replace(
            "It is 6.",
            'It is [six](p.en.md#three-times){ .x }.\n\n!!! note "A box"\n'
            '    Inside <span lang="zh">里</span> it.\n\n`[a](b)` stays.',
        ),
    )
    at = "https://x.org/b/", "https://x.org/b/en/t/p/"
    told = markdown_copy(read_book(book.root), "docs/t/p.en.md", "en", *at)
    head, rest = told.split("\n\nIt is ")
    assert head.startswith("# What is three times w?\n\nSource: <https://x.org/b/en/t/p/>. ")
    assert re.search(r"Python \d+\.\d+\.\d+ printed", head)
    assert rest == (
        "[six](https://x.org/b/en/t/p/#three-times).\n\n> **A box**\n>\n> Inside 里 it.\n\n"
        "`[a](b)` stays.\n\n"
        '```python\nw = 2.0\ny = 3 * w\nprint("y:", y)\n```\n\nOutput:\n\n```text\ny: 6.0\n```\n'
    )
