"""Links within the book lead somewhere; images have words in the language of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofbook.check.links import wrong_links
from proofbook.check.registry import problems_in_files
from proofbook.model.book import read_book
from proofbook.testing.tiny_book import Book

ROOT = Path(__file__).resolve().parents[3]
ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"


def told(book: Book, zh: str, en: str) -> list[tuple[str, int, str, str]]:
    """What is told of links and images, once these lines stand at the end of the pages."""
    for name, text in ((ZH, zh), (EN, en)):
        book.write(name, f"{book.read(name)}\n{text}\n")
    found = problems_in_files(read_book(book.root))
    return sorted((p.file, p.line, p.what, p.found) for p in found if p.what[:4] == "the ")


RIGHT = ["p.{}.md", "p.{}.md#three-times", "#three-times", "https://example.org/#x", "a.svg"]
WRONG = {
    "q.{}.md": "the link leads to no file",
    "b.svg": "the link leads to no file",
    "p.{}.md#thre-times": "the link leads to no heading",
}


@pytest.mark.parametrize("to", RIGHT)
def test_a_link_that_leads_somewhere(book, to):
    book.write("docs/t/a.svg", "<svg/>")
    assert told(book, f"[a]({to.format('zh')})", f"[a]({to.format('en')})") == []


@pytest.mark.parametrize("to", WRONG)
def test_a_link_that_leads_nowhere(book, to):
    zh, en = to.format("zh"), to.format("en")
    what = WRONG[to]
    assert told(book, f"[a]({zh})", f"[a]({en})") == [(EN, 8, what, en), (ZH, 8, what, zh)]


API = "https://docs.pytorch.org/docs/stable/generated/"


@pytest.mark.parametrize(
    ("link", "right"),
    [
        ("[What is three times w?](p.en.md)", True),
        ("[What is *four* times `w`](q.en.md)", True),
        ("[three times](q.en.md) and [What is three times w](q.en.md#four)", True),
        ("[What is three times w](q.en.md)", False),
        ("[Why?](q.en.md#why) [What is *four* times `w`](q.en.md#why)", True),
        ("[Why](q.en.md#four)", False),
        (f"[`torch.clamp`]({API}torch.clamp.html) and [`clamp()`]({API}torch.clamp.html)", True),
        (f"[`step()`]({API}torch.optim.Optimizer.step.html#torch.optim.Optimizer.step)", True),
        (f"[`Module`]({API}torch.nn.Module.html#torch.nn.Module.apply) [`a`](https://b.org)", True),
        (f"[`torch.clip`]({API}torch.clamp.html)", False),
    ],
)
def test_the_words_of_a_link_fit_what_it_leads_to(book, link, right):
    book.write("docs/t/q.en.md", "# What is four times w? { #four }\n\n## Why? { #why }\n")
    book.write(EN, f"{book.read(EN)}\n{link}\n")
    read = read_book(book.root)
    assert (list(wrong_links(read.page(EN), read)) == []) is right


def test_an_address_below_the_text_is_a_link_too(book):
    found = told(book, "[甲][a]\n\n[a]: q.zh.md", "[A][a]\n\n[a]: q.en.md")
    assert found == [(f, 10, WRONG["q.{}.md"], f"q.{c}.md") for f, c in ((EN, "en"), (ZH, "zh"))]


def test_the_glossary_has_its_terms_for_anchors(book):
    book.write("docs/glossary/terms.toml", TERM)
    book.write("docs/glossary/index.en.md", "# G { #g }\n")
    book.write(EN, "[a](../glossary/index.en.md#leaf) [b](p.en.md#leaf)")
    read = read_book(book.root)
    wrong = list(wrong_links(read.page(EN), read))
    assert [problem.found for problem in wrong] == ["p.en.md#leaf"]


@pytest.mark.parametrize(
    ("zh", "en", "found"),
    [
        ("![图](a.svg)", "![a figure](a.svg)", []),
        ("![](a.svg)", "![a figure](a.svg)", [(ZH, "nothing")]),
        ("![figure](a.svg)", "![图](a.svg)", [(EN, "图"), (ZH, "figure")]),
    ],
)
def test_an_image_has_words_in_the_language_of_the_page(book, zh, en, found):
    book.write("docs/t/a.svg", "<svg/>")
    assert [(file, words) for file, _, _, words in told(book, zh, en)] == found


TERM = """\
[[term]]
id = "leaf"
part = "g"
zh = "叶子"
en = "leaf"
page = "t/p"
says.zh = "叶子。"
says.en = "A leaf."
"""

STEPS = {
    "[step 20](#{}-step-20)": [],
    "[step 19](#{}-step-20)": ["the link names another step"],
    "[there](#{}-step-09)": ["the link leads to no step of the figure"],
    "[step 1](#{}-passes-1-step-1)": ["the link leads to no figure"],
    "all [20](#{}-step-20) and 77": [],
}


@pytest.mark.parametrize("text", STEPS)
def test_a_link_to_a_step_of_a_figure(text):
    from proofbook.check.links import wrong_links
    from proofbook.maths.numbers import statements_of

    figure = "::: snippets/accumulate/two_losses.py\n    figure: trace\n\n"
    text_of_page = figure + text.format("trace-accumulate-two-losses")
    book = read_book(ROOT).with_texts({EN: text_of_page})
    page = book.page(EN)
    assert [p.what for p in wrong_links(page, book)] == STEPS[text]
    assert [statement.said for statement in statements_of(page)] == (["77"] if "77" in text else [])
