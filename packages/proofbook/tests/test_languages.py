"""The two languages of a page agree in all but their words, and are edited together."""

from __future__ import annotations

import subprocess

import pytest
from proofbook.check.languages import language_differences
from proofbook.model.page import parse
from proofbook.testing.tiny_book import Book

ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"


def told(zh: str, en: str, top: str = "# A { #a }\n\n") -> list[tuple[str, int, str]]:
    """The problems between two texts, each with file, line and what stands in one alone."""
    pages = parse(ZH, top + zh), parse(EN, top + en)
    return [(p.file, p.line, p.found) for p in language_differences(*pages, "w.detach() + loss2")]


SAME = {
    "the same numbers": ("是 `0.5`，不是 -3。", "It is 0.5 and not $-3$."),
    "a small number as a word": ("4 个样本，三次", "four samples, 3 times"),
    "a small number in other words": ("四分之一，第三", "a quarter, the 3rd"),
    "hints": ("是 2", "half of them"),
    "numbers as words": ("一万轮就是三万个节点", "ten thousand rounds, thirty thousand nodes"),
    "a round number as a word": ("变成万分之一", "10000 times smaller"),
    "a small number, once in code": ("`4` 个", "all 4"),
    "large numbers": ("1.5 万个，12000 个", "15,000 and 12 thousand"),
    "a number with letters": ("两个 30 是 $30w$", "The two 30s in $30w$"),
    "a hyphen is no minus": ("层 12-1", "layer 12-1"),
    "a version": ("PyTorch 1.12.1 起", "since PyTorch 1.12.1"),
    "names with numbers": ("`conv2d` 和 `float32`", "`float32`, after `conv2d`"),
    "blanks in an equation": ("$$\ny = 2w\n$$", "$$ y=2 w $$"),
    "words in an equation": ("$$y_{\\text{新}} = 2$$", "$$y_{\\text{new}} = 2$$"),
    "a given value in words": ("$w = 3$ 时", "where $w$ is 3"),
    "links in another order": ("[甲](a.zh.md) [乙](b.zh.md#x)", "[B](b.en.md#x) [A](a.en.md)"),
    "the title of a thread": ("[12 个问题](https://a.org/1)", "[12 questions](https://a.org/1)"),
    "an article in each language": (
        "[链](https://zh.wikipedia.org/wiki/链) <https://docs.python.org/zh-cn/3/x>",
        "[chain](https://en.wikipedia.org/wiki/Chain) <https://docs.python.org/3/x>",
    ),
    "figures": ("![图](a.zh.svg)", "![figure](a.en.svg)"),
    "boxes": ('!!! info "甲"\n    乙', '!!! info "A"\n    B'),
    "comments and attributes": ("<!-- 77 -->`a`{ .x77 }", "`a`"),
    "a number in words": ("60 次，25 层，13 个", "sixty times, twenty-five layers, thirteen"),
    "the other way around": ("六十次，二十五层", "60 times, 25 layers"),
    "a power of ten": ("0.001，10 的 6 次方就是一百万", "$10^{-3}$, and $10^6$ is a million"),
    "a power": ("1024 个", "$2^{10}$ of them"),
    "hundreds": ("120 个，150 步，一百零一", "A hundred and twenty, one hundred and fifty, 101"),
    "ordinals": ("第 21 步，第十二步，第 20 层", "the twenty-first step, the twelfth, twentieth"),
    "fractions": ("0.75，四分之三，0.3", "75%, 0.75, three tenths"),
    "parts of a hundred": ("50%，百分之一，千分之五", "half of it, one percent, 0.5%"),
    "a percentage": ("约 0.4%，上下各 20%", "about 0.4 percent, 20 percent in either direction"),
    "a half more": ("1.5 倍，两倍半", "one and a half times, 2.5 times"),
    "a dozen": ("12 个，大了一个数量级", "a dozen, ten times larger"),
    "letters for thousands": ("3 万步，70 亿参数", "30k steps, 7B parameters"),
    "minus in words": ("-3，负 1", "minus 3 and -1"),
    "years in signs": ("一九八六年，八十年代", "1986, in the eighties"),
    "signs that count nothing": (
        "成千上万步，十几次，周一到周五",
        "thousands of steps, on weekdays",
    ),
    "a time": ("半小时，一个半小时", "30 minutes, 90 minutes"),
    "a name for a pronoun": ("先 `f`。\n\n调用 `f`", "First `f`.\n\nCall it"),
}


@pytest.mark.parametrize("zh, en", SAME.values(), ids=SAME)
def test_words_are_the_authors_own(zh, en):
    assert told(zh, en) == []


DIFFERENT = {
    "another decimal": ("是 0.5", "is 0.25", ZH, "here only: 0.5"),
    "a sign": ("是 $-3$", "is $3$", ZH, "here only: -3"),
    "a number more": ("是", "is 24", EN, "here only: 24"),
    "swapped numbers": ("0.5 0.5 0.7", "0.5 0.7 0.7", ZH, "here only: 0.5"),
    "a small number": ("4 个样本，三次", "three samples", ZH, "here only: 4"),
    "another exponent": ("`1e-3`", "`1e-4`", ZH, "here only: 0.001"),
    "an equation": ("$$y = 2w$$", "$$y = w2$$", ZH, "here only: y=2w"),
    "an equation within a line": ("$a + b = c$", "$a - b = c$", ZH, "here only: a+b=c"),
    "a link": ("[甲](a.zh.md)", "A", ZH, "here only: a.md"),
    "an anchor of a link": ("[甲](a.zh.md#x)", "[A](a.en.md#y)", ZH, "here only: a.md#x"),
    "a link to the other language": ("[甲](a.en.md)", "[A](a.en.md)", ZH, "here only: a.en.md"),
    "a number in a title": (
        "[问 1.8](https://a.org)",
        "[1.9?](https://a.org)",
        ZH,
        "here only: https://a.org 1.8",
    ),
    "a figure": ("![图](a.svg)", "", ZH, "here only: a.svg"),
    "a box": ('!!! info "甲"', '!!! warning "A"', ZH, "here only: !!! info"),
    "a row": ("| 甲 |\n|---|", "| A |\n|---|\n| B |", EN, "here only: a row of 1"),
    "a fence": ("```text\nx\n```", "", ZH, "```text"),
    "a number in words": ("三个", "four of them", ZH, "here only: 3"),
    "a name misspelt": ("`w.detahc()`", "`w.detach()`", ZH, "here only: w.detahc()"),
    "an operator in code": ("`w - 1`", "`w + 1`", ZH, "here only: w - 1"),
    "a name with another number": ("`loss2`", "`loss1`", ZH, "here only: loss2"),
    "a small number instead of a large one": ("从 10 开始。", "Start with 5.", ZH, "here only: 10"),
    "a number that stands there once more": (
        "从 10 开始，走 5 步到 10。",
        "Start with 5, go 5 steps to 10.",
        ZH,
        "here only: 10",
    ),
    "another fraction": ("四分之三", "0.7", ZH, "here only: 3, 4"),
    "another power": ("$10^{-3}$", "0.01", ZH, "here only: 0.001"),
    "another ordinal": ("第 21 步", "the twenty-second step", ZH, "here only: 21"),
    "another hundred": ("120 个", "a hundred and thirty", ZH, "here only: 120"),
    "another number in words": ("60 次", "seventy times", ZH, "here only: 60"),
}


@pytest.mark.parametrize("zh, en, file, found", DIFFERENT.values(), ids=DIFFERENT)
def test_what_is_no_word_agrees(zh, en, file, found):
    assert (file, found) in [(problem[0], problem[2]) for problem in told(zh, en)]


def test_sections_are_compared_one_by_one():
    one = "是 0.5。\n\n## B { #b }\n\n是 0.7。\n"
    assert told(one, one) == []
    other = one.replace("0.5", "x").replace("0.7", "0.5").replace("x", "0.7")
    assert told(one, other) == [(ZH, 3, "here only: 0.5"), (ZH, 7, "here only: 0.7")]


def test_front_matter_agrees_but_for_words():
    top = "---\ntitle: {}\ndescription: >\n  {}\nsearch:\n  boost: {}\n---\n# A {{ #a }}\n"
    assert told(top.format("甲", "乙", 1), top.format("A", "B", 1), top="") == []
    ((file, line, found),) = told(top.format("甲", "乙", 1), top.format("A", "B", 2), top="")
    assert (file, line, found) == (ZH, 1, "search:\n  boost: 1")


def test_the_check_tells_a_difference_with_its_places(book, proof_command):
    book.change(EN, "It is 6.", "It is 6.5.")
    status, _, err = proof_command("check", ZH)
    assert status == 1
    assert err == (
        f"{ZH}:3: the two languages of the page have different numbers under #three-times\n"
        f"  expected: the same as in {EN}:3: 6.5\n"
        "  found:    here only: 6\n"
        f"  fix:      say the same in {ZH} and {EN}\n\n"
        "1 problem. Nothing was changed.\n"
    )


@pytest.fixture
def committed(book: Book) -> Book:
    """A book with a second section, all of it in a commit."""
    book.change(ZH, "是 6。", "是 6。\n\n又一段，写在这一页的第二行上。后一句。")
    book.change(EN, "It is 6.", "It is 6.\n\nOne more paragraph. It has two sentences.")
    for name in (ZH, EN):
        book.write(name, book.read(name) + "\n## B { #b }\n\nLast.\n")
    name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*name, "commit", "-qm", "one")):
        subprocess.run(["git", "-C", str(book.root), *arguments], check=True)
    return book


def test_an_edit_of_one_language_is_shown_with_the_same_place_in_the_other(
    committed, proof_command
):
    committed.change(EN, "It has two sentences.", "Nobody reads its second half, or so they say.")
    status, _, err = proof_command("check")
    assert status == 0
    assert err == (
        f"{EN}:5: warning: #three-times was edited in this language only\n"
        f"  expected: the same in {ZH}:5:\n"
        "            又一段，写在这一页的第二行上。后一句。\n"
        "  found:    - It has two sentences.\n"
        "            + Nobody reads its second half, or so they say.\n"
        "  fix:      carry it over, if it means something there\n\n"
        "1 warning. Warnings stop nothing.\n"
    )
    committed.change(ZH, "后一句。", "后半段没有人读。")
    assert proof_command("check")[2] == ""


def test_what_cannot_be_seen_is_no_edit(committed, proof_command):
    text = committed.read(ZH).replace("\n\n", "\n\n\n").replace("。后", "。  \n后")
    committed.write(ZH, text.replace("\n", "\r\n") + "\r\n")
    assert proof_command("check")[::2] == (0, "")


def test_edits_of_different_sections_are_both_reported(committed, proof_command):
    committed.change(ZH, "Last", "The very last one of all")
    committed.change(EN, "It is 6", "Whoever computes it finds 6")
    err = proof_command("check")[2]
    assert f"{EN}:3: warning: #three-times was edited in this language only\n" in err
    assert f"{ZH}:12: warning: #b was edited in this language only\n" in err


def test_more_equations_that_nobody_can_evaluate_are_reported(committed, proof_command):
    for name in (ZH, EN):
        committed.change(name, "Last", "Last, $q^2 = 4$")
    status, _, err = proof_command("check")
    assert status == 0
    for name in (ZH, EN):
        assert f"{name}:12: warning: more equations of this page than before can be neither" in err
    assert "  expected: at most 0, as before\n  found:    1: q^2 = 4\n" in err


def test_without_git_nothing_is_compared(book, proof_command):
    book.change(ZH, "是 6", "就是 6")
    assert proof_command("check")[::2] == (0, "")
