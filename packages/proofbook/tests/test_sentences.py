"""How the prose of a page is cut into sentences."""

from __future__ import annotations

import pytest
from proofbook.model.page import parse
from proofbook.model.sentences import sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See `a. B` and $x. Y$. Next", ["See `a. B` and $x. Y$.", "Next"]),
        ("It is 1.5, e.g. this.", ["It is 1.5, e.g. this."]),
        ("一。二！三？四", ["一。", "二！", "三？", "四"]),
        ("看[为什么？](a.md)再说。`b` 也是。", ["看[为什么？](a.md)再说。", "`b` 也是。"]),
        ("He said “Go.” Then\nhe went.", ["He said “Go.”", "Then he went."]),
        ("- One item.\n- Another\n\n| Cell | With a stop. |\n|---|---|\n| a | b |", None),
    ],
)
def test_where_a_sentence_ends(text, found):
    expected = found or ["One item.", "Another", "With a stop."]
    page = parse("docs/t/p.en.md", f"# Title. Here {'{'} #t {'}'}\n\n{text}\n")
    cut = sentences(page)
    assert [sentence.text for sentence in cut] == expected
    for one in cut:
        assert " ".join(page.text[one.start : one.end].split()) == one.text
        assert one.text.split()[0] in page.line(one.line)


def test_what_is_in_bold_says_the_same():
    page = parse("docs/t/p.en.md", "# T\n\nYou ask. **It is `w**2`, and $a**b$.** *So* be it.\n")
    cut = [sentence.text for sentence in sentences(page)]
    assert cut == ["You ask.", "It is `w**2`, and $a**b$.", "*So* be it."]
