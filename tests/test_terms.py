"""The glossary: its file feeds the page, the links and the check; the book keeps to its words."""

from __future__ import annotations

import re

import pytest
from tiny_book import ROOT, Book

from proof.book import problems_in_files, read_book
from proof.expand import expand
from proof.page import parse, read
from proof.problem import Unproved
from proof.prose import own_words, prose
from proof.terms import FILE, read_terms

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
    return [(p.line, p.found, p.expected) for p in read_terms(book.root).wrong_words(page)]


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
        "```text\nhook\n```",
        "::: snippets/t/s.py\n    highlight: hook\n",
        "unhook 不是它，hooked 也不是，pre-hook 也不是",
    ],
)
def test_what_is_quoted_or_no_prose_may_use_any_word(glossary, text):
    assert found(glossary, ZH, text) == []


def test_a_word_may_be_right_in_one_language_only(glossary):
    assert found(glossary, EN, "A hook.") == []


def test_the_check_tells_it_with_the_word_to_write(glossary, proof_command):
    for file in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        glossary.change(file, "6。" if "zh" in file else "6.", " hook")
    status, _, err = proof_command("check")
    assert status == 1
    assert err == (
        "docs/t/p.zh.md:3: the glossary has another word for this\n"
        "  expected: 钩子\n"
        "  found:    hook\n"
        f"  mend:     write 钩子, or quote the other word with 「」 ({FILE}, hook)\n\n"
        "1 problem. Nothing was changed.\n"
    )


def test_the_page_tells_a_part_in_each_language(glossary):
    text = f"::: {FILE}\n    part: graph\n"
    assert expand(parse("glossary/index.zh.md", text), glossary.root) == (
        '[叶子张量](../t/p.zh.md){ #leaf-tensor } <span lang="en">leaf tensor</span>\n'
        ":   不是算出来的张量。也有人叫：叶子节点。\n\n"
    )
    assert expand(parse("glossary/index.en.md", text), glossary.root) == (
        '[leaf tensor](../t/p.en.md){ #leaf-tensor } <span lang="zh">叶子张量</span>\n'
        ":   A tensor that nothing computed. Also called: leaf node.\n\n"
    )


def test_a_part_that_does_not_exist_is_refused(glossary):
    with pytest.raises(Unproved, match="names no part of the glossary"):
        expand(parse("glossary/index.zh.md", f"::: {FILE}\n    part: graf\n"), glossary.root)


def linked(book: Book, file: str, text: str) -> str:
    return read_terms(book.root).linked(file, text)


def test_the_first_use_of_a_term_leads_to_the_glossary(glossary):
    assert linked(
        glossary, "t/q.zh.md", "# 叶子张量 { #a }\n\n叶子张量（leaf tensor），叶子张量。"
    ) == (
        "# 叶子张量 { #a }\n\n[叶子张量](../glossary/index.zh.md#leaf-tensor){ .term }"
        "（leaf tensor），叶子张量。"
    )
    assert linked(glossary, "t/q.en.md", "Two Leaf tensors and a hooked one.") == (
        "Two [Leaf tensors](../glossary/index.en.md#leaf-tensor){ .term } and a hooked one."
    )


@pytest.mark.parametrize(
    "text",
    [
        "| 钩子 |",
        "[钩子的事](x.md)",
        '!!! info "钩子"',
        "`钩子`",
        "```\n钩子\n```",
        "- [钩子](x.md)：钩子",
    ],
)
def test_some_places_are_no_place_for_a_link(glossary, text):
    assert linked(glossary, "t/q.zh.md", text) == text


@pytest.mark.parametrize("page", ["t/p.zh.md", "glossary/index.zh.md", "index.zh.md", "t/q.ipynb"])
def test_some_pages_do_not_link_a_term(glossary, page):
    assert linked(glossary, page, "钩子") == "钩子"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('en = "hook"\n', "", r"terms.toml:12: the term has no en"),
        ('part = "hooks"', 'parts = "hooks"', r"unknown field"),
        ('says.en = "A function that is called."\n', "", r"explained in one language only"),
        ('zh = "钩子"', 'zh = "叶子张量"', r"two terms have the same word"),
        ('page = "t/p"', 'page = "t/gone"', r"docs/t/gone\.zh\.md"),
        ('id = "hook"', 'id = "hook', r"terms.toml:13: this is not TOML"),
    ],
)
def test_a_wrong_entry_is_refused(glossary, proof_command, old, new, told):
    glossary.change(FILE, old, new)
    status, _, err = proof_command("check")
    assert status == 1
    assert re.search(told, err)


def test_prose_keeps_its_places():
    page = parse(EN, "---\na: 1\n---\n# Head { #head }\n\nA `b` $c$ [d](e) <f> g.\n")
    told = prose(page)
    assert [len(line) for line in told.split("\n")] == [len(x) for x in page.text.split("\n")]
    assert told.split() == ["#", "Head", "A", "[d]", "g."]
    assert own_words(parse(EN, 'He says "x" and [y](https://z.org).')).split() == [
        "He",
        "says",
        "and",
        ".",
    ]


def test_the_book_keeps_to_its_words():
    book = read_book(ROOT)
    terms = read_terms(ROOT)
    assert [str(p) for page in book.pages for p in terms.wrong_words(page)] == []
    assert not any(p.file == FILE for p in problems_in_files(book))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_glossary_tells_every_term_and_its_page_uses_it(language):
    terms = read_terms(ROOT).all
    shown = parse("", read(ROOT / f"docs/glossary/index.{language}.md")).references
    assert {r.option("part") for r in shown} == {term.part for term in terms}
    for term in terms:
        file = f"docs/{term.page}.{language}.md"
        text = own_words(parse(file, read(ROOT / file))).lower()
        assert any(name.lower() in text for name in term.names(language)), (
            f"{FILE}: {file}, named as the page that shows it, never says {term.names(language)[0]}"
        )
