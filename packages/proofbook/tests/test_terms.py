"""The glossary: its file feeds the page, the links and the check; the book keeps to its words."""

from __future__ import annotations

import re

import pytest
from proofbook.content.glossary import read_terms
from proofbook.directives.registry import expand
from proofbook.html.text import link_terms
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.model.book import read_book
from proofbook.model.config import BookConfig
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

FILE = BookConfig.glossary

TERMS = """\
[[term]]
id = "leaf-tensor"
part = "graph"
zh = "叶子张量"
en = "leaf tensor"
forms = ["leaf tensors"]
page = "t/p"
says.zh = "不是算出来的张量。"
says.en = "A tensor that nothing computed."
wrong = ["叶子节点", "leaf node"]

[[term]]
id = "hook"
part = "hooks"
zh = "钩子"
en = "hook"
page = "t/p"
says.zh = "登记的函数。"
says.en = "A function that is called."
wrong = ["hook"]
"""
ZH, EN = "docs/t/q.zh.md", "docs/t/q.en.md"


@pytest.fixture
def glossary(book: Book) -> Book:
    book.write(FILE, TERMS)
    return book


def found(book: Book, file: str, text: str) -> list[tuple[int, str, str]]:
    page = parse(file, text)
    terms = read_terms(read_book(book.root))
    return [(p.line, p.found, p.expected) for p in terms.wrong_words(page)]


def test_another_word_is_refused_in_either_language(glossary):
    assert found(glossary, ZH, "# 标题 { #a }\n\n叶子节点有梯度。\n") == [
        (3, "叶子节点", "叶子张量")
    ]
    assert found(glossary, EN, "A Leaf\nnode is a leaf\nnode.\n") == [
        (1, "Leaf node", "leaf tensor"),
        (2, "leaf node", "leaf tensor"),
    ]
    assert found(glossary, ZH, '??? question "hook 呢？"\n    叶子张量。\n') == [
        (1, "hook", "钩子")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`hook` 和 $hook$ 是代码和数学。",
        "钩子（hook）第一次出现。",
        "别人叫它「hook」。",
        "[What is a hook?](https://example.org/hook)",
        "[钩子](hook.zh.md#hook){ .hook }",
        "<span hook>钩子</span>，<https://example.org/hook>",
        "unhook 不是它，hooked 也不是，pre-hook 也不是",
    ],
)
def test_what_is_quoted_or_no_prose_may_use_any_word(glossary, text):
    assert found(glossary, ZH, text) == []


def test_the_page_tells_a_part_in_each_language(glossary):
    text = f"::: {FILE}\n    part: graph\n"
    assert expand(parse("docs/glossary/index.zh.md", text), read_book(glossary.root)) == (
        '[叶子张量](../t/p.zh.md){ #leaf-tensor } <span lang="en">leaf tensor</span>\n'
        ":   不是算出来的张量。也有人叫：叶子节点。\n\n"
    )
    assert expand(parse("docs/glossary/index.en.md", text), read_book(glossary.root)) == (
        '[leaf tensor](../t/p.en.md){ #leaf-tensor } <span lang="zh">叶子张量</span>\n'
        ":   A tensor that nothing computed. Also called: leaf node.\n\n"
    )


def test_a_part_that_does_not_exist_is_refused(glossary):
    page = parse("docs/glossary/index.zh.md", f"::: {FILE}\n    part: graf\n")
    with pytest.raises(Unproved, match="names no part of the file"):
        expand(page, read_book(glossary.root))


def linked(book: Book, html: str, language: str = "zh", page: str = "t/q") -> str:
    tree = parse_html(html)
    link_terms(tree, read_terms(read_book(book.root)), language, page, "../../glossary/")
    return serialize(tree)


def test_the_first_use_of_a_term_leads_to_the_glossary(glossary):
    assert linked(glossary, "<h1>叶子张量</h1><p>叶子张量（leaf tensor），叶子张量。</p>") == (
        '<h1>叶子张量</h1><p><a class="term" href="../../glossary/#leaf-tensor" '
        'data-says="不是算出来的张量。">叶子张量</a>'
        "（leaf tensor），叶子张量。</p>"
    )
    assert linked(glossary, "<p>Two Leaf\ntensors and a hooked one.</p>", "en") == (
        '<p>Two <a class="term" href="../../glossary/#leaf-tensor" '
        'data-says="A tensor that nothing computed.">Leaf\ntensors</a> and a hooked one.</p>'
    )
    assert linked(glossary, "<li>用<em>钩子</em>做</li>").count("<a ") == 1


@pytest.mark.parametrize(
    "html",
    [
        "<table><tbody><tr><td>钩子</td></tr></tbody></table>",
        '<svg viewBox="0 0 9 9"><text>钩子</text></svg>',
        '<p><a href="x">钩子的<em>事</em>，钩子</a></p>',
        '<p class="admonition-title">钩子</p>',
        "<pre><span></span><code>钩子<br>钩子</code>钩子</pre>",
        '<p title="钩子"><!-- 钩子 -->「钩子」和“钩子”</p>',
        "<h2>钩<code>x</code>钩子</h2>",
    ],
)
def test_some_places_are_no_place_for_a_link(glossary, html):
    assert linked(glossary, html) == html
    after = linked(glossary, html + "<p>钩子</p>")
    assert (
        after
        == html
        + '<p><a class="term" href="../../glossary/#hook" data-says="登记的函数。">钩子</a></p>'
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('en = "hook"\n', "", r"terms.toml:12: the entry has no en"),
        ('part = "hooks"', 'parts = "hooks"', r"unknown field"),
        ('says.en = "A function that is called."\n', "", r"not explained in both languages"),
        ('zh = "钩子"', 'zh = "叶子张量"', r"two terms have the same word"),
        ('page = "t/p"', 'page = "t/gone"', r"docs/t/gone\.zh\.md"),
        ('id = "hook"', 'id = "leaf-tensor"', r"two terms have the same id"),
        ('id = "hook"', 'id = "a hook"', r"this is not an anchor"),
        ('wrong = ["hook"]', 'wrong = "hook"', r"wrong is not a list of texts"),
    ],
)
def test_a_wrong_entry_is_refused(glossary, proof_command, old, new, told):
    glossary.change(FILE, old, new)
    status, _, err = proof_command("check")
    assert status == 1
    assert re.search(told, err)
