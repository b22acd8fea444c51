"""The two languages of a page agree in all but their words; an edit of one alone is told."""

from __future__ import annotations

import re
import subprocess

import pytest
from proofbook.content.glossary import Term, Terms
from proofbook.languages.contents import contents, front_matter, sections
from proofbook.languages.parity import language_differences
from proofbook.model.config import BookConfig
from proofbook.model.page import parse
from proofbook.testing.tiny_book import Book

FILE = BookConfig.reconciled

ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"
LEAF = Term("leaf", "graph", "叶子张量", "leaf tensor", "t/p", {}, ("leaf tensors",))


def told(zh: str, en: str, top: str = "# A { #a }\n\n") -> list[tuple[str, int, str]]:
    """The problems between two texts, each with file, line and what stands in one alone."""
    pages = parse(ZH, top + zh), parse(EN, top + en)
    return [
        (p.file, p.line, p.found)
        for p in language_differences(*pages, Terms((LEAF,)), "w.detach() + loss2")
    ]


SAME = {
    "the same numbers": ("是 `0.5`，不是 -3。", "It is 0.5 and not $-3$."),
    "a number with a dot": ("`[1., 2.50]`", "`[1.0, 2.5]`"),
    "a small number as a word": ("4 个样本，三次", "four samples, 3 times"),
    "a small number in other words": ("四分之一，第三", "a quarter, the 3rd"),
    "very small numbers": ("是 0，不是 1", "there is none, not the one"),
    "hints": ("是 2", "half of them"),
    "numbers as words": ("一万轮就是三万个节点", "ten thousand rounds, thirty thousand nodes"),
    "signs that count nothing": ("十分好，四舍五入", "very good, rounded"),
    "a round number as a word": ("变成万分之一", "10000 times smaller"),
    "a number told again": ("0.5，还是 0.5", "it stays 0.5"),
    "a small number, once in code": ("`4` 个", "all 4"),
    "large numbers": ("1.5 万个，12000 个", "15,000 and 12 thousand"),
    "a month": ("2023 年 12 月", "December 2023"),
    "a number with letters": ("两个 30 是 $30w$", "The two 30s in $30w$"),
    "ranges": ("10～20 行", "lines 10-20"),
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
    "a term in brackets": ("叶子张量（leaf tensor）", "Leaf\ntensors"),
    "a term in short": ("叶子张量（leaf tensor）", "the leaf"),
    "comments and attributes": ("<!-- 77 -->`a`{ .x77 }", "`a`"),
    "a stray backtick": ("它是 ` 号\n\n`a` 是 0.5", "It is an accent\n\n`a` is 0.5"),
    "tables": ("| 甲 | 乙 |", "| A | B |"),
    "a number in words": ("60 次，25 层，13 个", "sixty times, twenty-five layers, thirteen"),
    "the other way around": ("六十次，二十五层", "60 times, 25 layers"),
    "a name for a pronoun": ("先 `f`。\n\n调用 `f`", "First `f`.\n\nCall it"),
    "a name that the snippet has": ("调用 `w.detach()`", "call it"),
}


@pytest.mark.parametrize("zh, en", SAME.values(), ids=SAME)
def test_words_are_the_authors_own(zh, en):
    assert told(zh, en) == []


DIFFERENT = {
    "another decimal": ("是 0.5", "is 0.25", ZH, "here only: 0.5"),
    "a sign": ("是 $-3$", "is $3$", ZH, "here only: -3"),
    "a number more": ("是", "is 24", EN, "here only: 24"),
    "swapped numbers": ("0.5 0.5 0.7", "0.5 0.7 0.7", ZH, "here only: 0.5"),
    "a small number in code": ("`x[3]`", "`x[4]`", ZH, "here only: 3"),
    "a small number": ("4 个样本，三次", "three samples", ZH, "here only: 4"),
    "another exponent": ("`1e-3`", "`1e-4`", ZH, "here only: 0.001"),
    "another version": ("1.12.1 起", "since 1.12.2", ZH, "here only: 1.12.1"),
    "an equation": ("$$y = 2w$$", "$$y = w2$$", ZH, "here only: y=2w"),
    "an equation more": ("", "$$\ny\n$$", EN, "here only: y"),
    "an equation within a line": ("$a + b = c$", "$a - b = c$", ZH, "here only: a+b=c"),
    "a link": ("[甲](a.zh.md)", "A", ZH, "here only: a.md"),
    "an anchor of a link": ("[甲](a.zh.md#x)", "[A](a.en.md#y)", ZH, "here only: a.md#x"),
    "a link to the other language": ("[甲](a.en.md)", "[A](a.en.md)", ZH, "here only: a.en.md"),
    "a link twice": ("[甲](https://a.org/b_(c))", "", ZH, "here only: https://a.org/b_(c)"),
    "a number in a title": (
        "[问 1.8](https://a.org)",
        "[1.9?](https://a.org)",
        ZH,
        "here only: https://a.org 1.8",
    ),
    "a figure": ("![图](a.svg)", "", ZH, "here only: a.svg"),
    "a box": ('!!! info "甲"', '!!! warning "A"', ZH, "here only: !!! info"),
    "a folded box": ('??? info "甲"', '!!! info "A"', ZH, "here only: ??? info"),
    "a row": ("| 甲 |\n|---|", "| A |\n|---|\n| B |", EN, "here only: a row of 1"),
    "a fence": ("```text\nx\n```", "", ZH, "```text"),
    "a number in words": ("三个", "four of them", ZH, "here only: 3"),
    "a large number in words": ("五十次", "five times", ZH, "here only: 50"),
    "a name misspelt": ("`w.detahc()`", "`w.detach()`", ZH, "here only: w.detahc()"),
    "a name that stands nowhere else": ("", "`f`", EN, "here only: f"),
    "an operator in code": ("`w - 1`", "`w + 1`", ZH, "here only: w - 1"),
    "a name with another number": ("`loss2`", "`loss1`", ZH, "here only: loss2"),
    "another number in words": ("60 次", "seventy times", ZH, "here only: 60"),
    "a paragraph more": (
        "甲\n\n乙",
        "A",
        ZH,
        "3 (items of lists, rows of tables and titles of boxes count too)",
    ),
    "a term": ("叶子张量（leaf tensor）", "the tensor", ZH, "叶子张量（leaf tensor）"),
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
    assert front_matter(parse(ZH, "---\n---\n# A { #a }\n")) == []


@pytest.mark.parametrize("text", ["", "\n", "No heading 0.5", "#", "$$", "`", "[](", "!!! ", "---"])
def test_any_text_can_be_read(text):
    page = parse(ZH, text)
    assert all(contents(page, section) for section in sections(page))
    assert all(p.what for p in language_differences(page, parse(EN, "# A { #a }\n"), Terms()))


def test_the_check_tells_a_difference_with_its_places(book, proof_command):
    book.change(EN, "It is 6.", "It is 6.5.")
    status, _, err = proof_command("check", ZH)
    assert status == 1
    assert err == (
        f"{ZH}:3: the two languages of the page have different numbers under #three-times\n"
        f"  expected: the same as in {EN}:3: 6.5\n"
        "  found:    here only: 6\n"
        f"  mend:     say the same in {ZH} and {EN}\n\n"
        "1 problem. Nothing was changed.\n"
    )


@pytest.fixture
def reconciled(book: Book, proof_command) -> Book:
    for name in (ZH, EN):
        book.write(name, book.read(name) + "\n## B { #b }\n\nLast.\n")
    assert proof_command("reconcile") == (0, "1 page recorded.\n", "")
    return book


def edit(book: Book, *names: str, old: str = "Last", new: str = "The last") -> None:
    for name in names:
        book.change(name, old, new)


@pytest.mark.parametrize("here, there", [(ZH, EN), (EN, ZH)])
def test_an_edit_of_one_language_is_told(reconciled, proof_command, here, there):
    edit(reconciled, here)
    status, _, err = proof_command("check", there)
    assert status == 0
    assert err.startswith(
        f"{here}:8: warning: #b was edited in this language only, since both were last reconciled\n"
        f"  expected: the change carried over to {there}:8\n"
    )
    assert f"proofbook reconcile {here}\n" in err
    edit(reconciled, there)
    status, out, _ = proof_command("check")
    assert status == 0
    assert "Both languages of 1 page are new or have changed" in out


def test_edits_of_different_sections_are_both_told(reconciled, proof_command):
    edit(reconciled, ZH)
    edit(reconciled, EN, old="It is", new="That is")
    err = proof_command("check")[2]
    assert f"{EN}:1: warning: #three-times was edited" in err
    assert f"{ZH}:8: warning: #b was edited" in err


def test_with_git_the_difference_is_shown(reconciled, proof_command):
    def git(*arguments: str) -> None:
        name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", "-C", str(reconciled.root), *name, *arguments], check=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    reconciled.write(ZH, reconciled.read(ZH) + "\nMore.\n")
    git("commit", "-qam", "two")
    edit(reconciled, ZH)
    err = proof_command("check")[2]
    assert err.startswith(f"{ZH}:10: warning: #b was edited")
    assert "found:    @@ -3 +3,3 @@\n            -Last.\n            +The last.\n" in err
    assert "            +More.\n" in err


def test_what_cannot_be_seen_is_no_edit(reconciled, proof_command):
    text = reconciled.read(ZH).replace("\n", "  \r\n").replace("\r\n  \r\n", "\r\n\r\n\r\n")
    reconciled.write(ZH, text.replace("w  \r", "w\r").replace(".py  \r", ".py\r") + "\r\n\r\n")
    assert proof_command("check")[0] == 0


def test_an_edit_that_means_nothing_there_is_recorded_by_name_only(reconciled, proof_command):
    edit(reconciled, ZH)
    before = reconciled.read(FILE)
    status, out, err = proof_command("reconcile")
    assert (status, out) == (1, "0 pages recorded.\n") and "#b was edited" in err
    assert reconciled.read(FILE) == before
    assert proof_command("reconcile", ZH) == (0, "1 page recorded.\n", "")
    assert proof_command("check")[0] == 0
    assert proof_command("reconcile") == (0, "0 pages recorded.\n", "")


UNREAD = "#three-times has not been read since its snippets print or do something else"


def test_an_output_that_changed_is_read_again_in_both_languages(reconciled, proof_command):
    reconciled.change("snippets/t/s.py", "2.0", "5.0")
    status, out, _ = proof_command("update")
    assert status == 0
    assert out.endswith(f"\nOnce both languages are true: proofbook reconcile {ZH}\n")
    status, _, err = proof_command("check")
    assert status == 1 and f"{ZH}:1: {UNREAD}\n" in err
    assert f"read it here and in {EN}, then: proofbook reconcile {ZH}\n" in err
    before = reconciled.read(FILE)
    assert proof_command("reconcile")[:2] == (1, "0 pages recorded.\n")
    assert reconciled.read(FILE) == before
    for name in (ZH, EN):  # what nobody can overlook
        reconciled.write(name, reconciled.read(name).replace("6", "15").replace("2", "5"))
    assert UNREAD not in proof_command("check")[2]
    assert proof_command("reconcile") == (0, "1 page recorded.\n", "")


def test_who_finds_that_nothing_has_to_be_edited_names_the_page(reconciled, proof_command):
    reconciled.change("snippets/t/s.py", '"y:"', '"y now:"')
    proof_command("update")
    assert UNREAD in proof_command("check")[2]
    assert proof_command("reconcile", EN)[0] == 0
    assert UNREAD not in proof_command("check")[2]


def test_a_record_of_before_does_not_know_what_was_printed(reconciled, proof_command):
    text = re.sub(r'( = "\w+ \w+) \w+"', r'\1"', reconciled.read(FILE))
    assert text != reconciled.read(FILE)
    reconciled.write(FILE, text)
    reconciled.change("snippets/t/s.py", '"y:"', '"y now:"')
    proof_command("update")
    assert UNREAD not in proof_command("check")[2]


def test_what_differs_is_not_reconciled(reconciled, proof_command):
    edit(reconciled, ZH, new="0.5")
    before = reconciled.files()
    status, _, err = proof_command("reconcile", ZH)
    assert status == 1 and "different numbers" in err
    assert err.endswith("1 problem. Nothing was changed.\n")
    assert reconciled.files() == before


def test_new_pages_and_pages_that_are_gone(reconciled, proof_command):
    before = reconciled.read(FILE)
    assert proof_command("new", "t/more")[0] == 0
    assert "Both languages of 1 page are new" in proof_command("check")[1]
    assert proof_command("reconcile") == (0, "1 page recorded.\n", "")
    for name in reconciled.files():
        if "more" in name:
            reconciled.remove(name)
    assert proof_command("reconcile") == (0, "0 pages recorded.\n", "")
    assert reconciled.read(FILE) == before


@pytest.mark.parametrize(
    "text",
    ["<<<<<<< ours\n", "a = 1\n", '["docs/t/p"]\nb = 3\n', '["docs/t/p"]\nb = "1 2"\n', b"\xff"],
)
def test_a_damaged_record_is_told(reconciled, proof_command, text):
    reconciled.write(FILE, text)
    for command in ("check", "reconcile"):
        status, _, err = proof_command(command)
        assert status == 1
        assert err.startswith(f"{FILE}:1: ")


def test_without_a_record_nothing_is_compared_with_it(book, proof_command):
    edit(book, ZH, old="是 6", new="就是 6")
    assert proof_command("check")[0] == 0


def test_numbers_in_another_order_are_reconciled_by_name_only(reconciled, proof_command):
    before = reconciled.read(FILE)
    reconciled.change(ZH, "Last", "从 2 变成 3")
    reconciled.change(EN, "Last", "3 instead of 2")
    assert proof_command("check")[0] == 0
    status, out, err = proof_command("reconcile")
    assert (status, out) == (1, "0 pages recorded.\n")
    assert err.startswith(f"{ZH}:10: the numbers of this paragraph stand otherwise in {EN}\n")
    assert f"  expected: as in {EN}:10: 3, 2\n  found:    2, 3\n" in err
    assert reconciled.read(FILE) == before
    assert proof_command("reconcile", ZH) == (0, "1 page recorded.\n", "")
    assert proof_command("reconcile") == (0, "0 pages recorded.\n", "")


def test_what_may_be_right_is_a_warning():
    def severities(zh: str, en: str) -> list[str]:
        one, other = (
            parse(name, f"# T {{ #t }}\n\n{text}\n") for name, text in ((ZH, zh), (EN, en))
        )
        return [problem.severity for problem in language_differences(one, other, Terms((LEAF,)))]

    assert severities("甲\n\n乙", "A and B") == ["warning"]
    assert severities("叶子张量（leaf tensor）", "the tensor") == ["warning"]
    assert severities("是 0.5", "is 0.25") == ["error"]


def commit(book: Book) -> None:
    name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*name, "commit", "-qm", "one")):
        subprocess.run(["git", "-C", str(book.root), *arguments], check=True)


def test_what_vanished_from_an_output_and_still_stands_in_the_text(book, proof_command):
    book.write("snippets/t/s.py", 'w = 20.0\ny = w / 2\nprint("y:", y)\n')
    proof_command("update")
    for name in (ZH, EN):
        book.change(name, "3 * w", "w / 2")
        book.change(name, "6", "`10`")
    assert proof_command("reconcile")[0] == 0
    commit(book)
    # The text of the page is edited in both languages: its highlight, and nothing else.
    book.write("snippets/t/s.py", 'w = 10.0\nhalf = w / 2\nprint("y:", half)\n')
    proof_command("update")
    for name in (ZH, EN):
        book.change(name, "highlight: w / 2", "highlight: half = w / 2")
    status, _, err = proof_command("check")
    what = "the snippets of this section printed this, and no longer do"
    assert status == 1 and f"{ZH}:3: {what}\n" in err and f"{EN}:3: {what}\n" in err
    assert "  found:    10\n" in err and UNREAD not in err
    assert proof_command("reconcile")[0] == 1
    for name in (ZH, EN):
        book.change(name, "`10`", "`5.0`")
    assert what not in proof_command("check")[2]
    assert proof_command("reconcile") == (0, "1 page recorded.\n", "")


def test_what_vanished_may_be_right_as_it_is(book, proof_command):
    test_what_vanished_from_an_output_and_still_stands_in_the_text(book, proof_command)
    commit(book)
    book.write("snippets/t/s.py", 'w = 5.0\nhalf = w - 1\nprint("y:", half)\n')
    proof_command("update")
    for name in (ZH, EN):
        book.change(name, "half = w / 2", "half = w - 1")
    assert "  found:    5.0\n" in proof_command("check")[2]
    assert proof_command("reconcile", ZH)[0] == 0
    assert proof_command("check")[0] == 0


def test_more_equations_that_nobody_can_evaluate_are_told(reconciled, proof_command):
    assert "open-equations" not in reconciled.read(FILE)
    for name in (ZH, EN):
        reconciled.change(name, "\n## B", "\n$q^2 = 4$\n\n## B")
    status, _, err = proof_command("check")
    assert status == 0
    for name in (ZH, EN):
        assert f"{name}:8: warning: more equations of this page than before can be neither" in err
    assert "  expected: at most 0, as is recorded\n  found:    1: q^2 = 4\n" in err
    assert proof_command("reconcile", ZH)[0] == 0
    assert '[open-equations]\n"docs/t/p" = 1\n' in reconciled.read(FILE)
    assert "more equations" not in proof_command("check")[2]
    for name in (ZH, EN):
        reconciled.change(name, "$q^2 = 4$", "$q^2 = 4$, $q^3 = 8$")
    assert "at most 1, as is recorded\n  found:    2: q^2 = 4; q^3 = 8" in proof_command("check")[2]
    assert proof_command("reconcile")[0] == 0
    assert '"docs/t/p" = 2\n' in reconciled.read(FILE)
    for name in (ZH, EN):
        reconciled.change(name, "$q^2 = 4$, $q^3 = 8$", "Nothing.")
    assert proof_command("reconcile")[0] == 0
    assert "open-equations" not in reconciled.read(FILE)
