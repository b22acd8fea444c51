"""What was edited in one language alone since the last commit is warned of."""

from __future__ import annotations

import subprocess

import pytest
from proofbook.testing.tiny_book import Book

ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"


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
        "1 warning. Nothing is stopped.\n"
    )
    committed.change(ZH, "后一句。", "后半段没有人读。")
    assert proof_command("check")[2] == ""


@pytest.mark.parametrize("here, there", [(ZH, EN), (EN, ZH)])
def test_a_word_spelled_otherwise_takes_one_line(committed, proof_command, here, there):
    old, new = ("这一页的第二", "本页的第二") if here == ZH else ("paragraph", "paragraf")
    committed.change(here, old, new)
    assert proof_command("check")[2] == (
        f"{here}:5: warning: #three-times was edited in this language only: a word or two; see "
        f"whether {there}:5 needs it too\n\n1 warning. Nothing is stopped.\n"
    )


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


def test_a_sentence_that_is_gone_is_shown_where_it_stood(committed, proof_command):
    committed.change(EN, " It has two sentences.", "")
    err = proof_command("check")[2]
    assert err.startswith(f"{EN}:5: warning: ") and "found:    - It has two sentences.\n" in err


def test_numbers_edited_in_both_languages_stand_in_the_same_order(committed, proof_command):
    committed.change(ZH, "Last", "从 2 变成 3")
    committed.change(EN, "Last", "3 instead of 2")
    status, _, err = proof_command("check")
    assert status == 0
    assert f"{ZH}:12: warning: the numbers of this paragraph stand in another order in {EN}" in err
    assert f"  expected: as in {EN}:12: 3, 2\n  found:    2, 3\n" in err


def test_more_equations_that_nobody_can_evaluate_are_reported(committed, proof_command):
    for name in (ZH, EN):
        committed.change(name, "Last", "Last, $q^2 = 4$")
    status, _, err = proof_command("check")
    assert status == 0
    for name in (ZH, EN):
        assert f"{name}:12: warning: more equations of this page than before can be neither" in err
    assert "  expected: at most 0, as in the last commit\n  found:    1: q^2 = 4\n" in err


def test_without_git_nothing_is_compared(book, proof_command):
    book.change(ZH, "是 6", "就是 6")
    assert proof_command("check")[::2] == (0, "")
