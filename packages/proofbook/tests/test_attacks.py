"""Tests that attack sections: which are refused, what readers see of them, when to read them."""

from __future__ import annotations

import subprocess

import pytest
from proofbook.check.registry import problems_in_files
from proofbook.content.attacks import Attack, attacks_on
from proofbook.export.site_files import markdown_copy
from proofbook.html.page import Place, show_tried
from proofbook.html.tree import parse, serialize
from proofbook.model.book import read_book
from proofbook.model.problem import errors, warnings
from proofbook.testing.tiny_book import Book

TESTS = "tests/claims/test_t.py"
ATTACK = """\
import pytest
from proofbook.content.attacks import attacks


@attacks("t/p#three-times", zh="浮点数", en="floats")
@pytest.mark.upgrade
def test_sign():
    assert 3 * -1.0 < 0
"""


@pytest.fixture
def attacked(book: Book) -> Book:
    """A book with a test that attacks its only section."""
    book.write(TESTS, ATTACK)
    return book


def found(book: Book, of=errors) -> list[str]:
    return [str(problem) for problem in of(problems_in_files(read_book(book.root)))]


def test_an_attack_on_a_section_is_accepted(attacked):
    assert found(attacked) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("three-times", "three-tines", "expected: t/p#three-times\n  found:    t/p#three-tines"),
        ('"t/p#three-times", ', "", "attacks a section that no page has"),
        ('zh="浮点数", ', "", "no text in zh"),
        ('en="floats"', 'en=""', "no text in en"),
    ],
)
def test_what_is_refused(attacked, old, new, what):
    attacked.change(TESTS, old, new)
    (problem,) = found(attacked)
    assert problem.startswith(f"{TESTS}:5: ") and what in problem


def test_the_attacks_on_a_page_by_their_sections(attacked):
    decorator = '@attacks("t/p#three-times", "t/q#b", zh="整数", en="integers")\n'
    text = attacked.read(TESTS)
    attacked.write(TESTS, f"{text}\n\n{decorator}def test_two():\n    assert 2 > x\n")
    by_section = attacks_on(read_book(attacked.root), "t/p")
    assert [(a.test, a.line, a.tried["en"]) for a in by_section["three-times"]] == [
        ("test_sign", 5, "floats"),
        ("test_two", 11, "integers"),
    ]
    assert list(attacks_on(read_book(attacked.root), "t/q")) == ["b"]


PAGE = '<h1 id="a">A</h1><p>One.</p><h2 id="b">B</h2><p>Two.</p><div class="footnote">F</div>'


@pytest.mark.parametrize(
    ("section", "before"), [("a", '<h2 id="b">'), ("b", '<div class="footnote">')]
)
@pytest.mark.parametrize(
    "repository", ["", "https://example.org/a/b/", "https://example.org/a/b.git"]
)
def test_a_section_ends_with_a_line_that_says_what_was_tried(section, before, repository):
    test = Attack("tests/t.py", 5, "test_a", (), {"en": "floats < 2; `x`"})
    place, tree = Place("docs/t/p.en.md", "en", "t/p/", {}, str, str, repository), parse(PAGE)
    show_tried(tree, {section: [test], "gone": [test]}, place)
    code = "<code>tests/t.py::test_a</code>"
    address = "https://example.org/a/b/blob/HEAD/tests/t.py#L5"
    line = (
        '<details class="tried" data-search-exclude="">'
        "<summary>Tried with: floats &lt; 2; <code>x</code></summary>"
        f"<ul><li>{f'<a href={chr(34)}{address}{chr(34)}>{code}</a>' if repository else code}</li>"
        "</ul></details>"
    )
    assert serialize(tree) == PAGE.replace(before, line + before)


def test_the_markdown_copy_says_it_too(attacked):
    attacked.write(
        "docs/t/p.zh.md", f"{attacked.read('docs/t/p.zh.md')}\n## 还有 {{ #more }}\n\n字。\n"
    )
    copy = markdown_copy(
        read_book(attacked.root), "docs/t/p.zh.md", "zh", "https://a/", "https://a/p"
    )
    assert "y: 6.0\n```\n\n试过：浮点数\n\n## 还有\n\n字。\n" in copy


@pytest.fixture
def committed(attacked: Book) -> Book:
    """That book, all of it committed."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(attacked.root), *command], check=True)
    assert found(attacked, warnings) == []
    return attacked


def _to_read(committed: Book) -> list[str]:
    return [text for text in found(committed, warnings) if " has changed: read " in text]


def test_a_changed_script_asks_for_the_tests_of_its_section(committed):
    committed.change("snippets/t/s.py", "y = 3 * w", "y = (3 * w).eval().train()")
    (warning,) = found(committed, warnings)
    assert warning.startswith("docs/t/p.en.md:1: warning: #three-times has changed: read its tests")
    assert "snippets/t/s.py: not what was committed" in warning
    assert f"{TESTS}:5 test_sign" in warning


def test_another_section_and_a_changed_blank_ask_for_nothing(committed):
    page = committed.read("docs/t/p.en.md")
    committed.write("docs/t/p.en.md", f"{page}\n\n## More {{ #more }}\n\nWords.\n")
    assert found(committed, warnings) == []


def test_what_vanished_from_the_output_and_stands_in_the_text_is_listed(committed):
    committed.change("docs/t/p.en.md", "It is 6.", "It is `6.0`.")
    committed.write("snippets/t/s.out", "y: 7.0\n")
    (warning,) = _to_read(committed)
    assert warning.startswith("docs/t/p.en.md:3: warning: #three-times has changed")
    assert "docs/t/p.en.md, snippets/t/s.out: not what was committed" in warning
    assert "line 3 says 6.0, which is printed no longer" in warning


def test_what_another_section_says_of_it_is_listed_too(committed):
    page = committed.read("docs/t/p.en.md").replace("It is 6.", "")
    committed.write("docs/t/p.en.md", f"{page}\n\n## More {{ #more }}\n\nSo it is `6.0`.\n")
    committed.write("snippets/t/s.out", "y: 7.0\n")
    (warning,) = [text for text in _to_read(committed) if "#more" in text]
    assert " says 6.0, which is printed no longer" in warning
