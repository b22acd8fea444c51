"""The list of questions leads to answers, leaves no page out, and is told where it is wrong."""

from __future__ import annotations

import pytest
from proofbook.check.registry import problems_in_files
from proofbook.content.glossary import Terms
from proofbook.content.questions import ABSENT, OFTEN, entries, parts, read_questions
from proofbook.content.search import asked_of
from proofbook.content.torch_versions import REASONS
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.config import BookConfig
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book, recorded

FILE = BookConfig.questions

RIGHT = """\
[[question]]
part = "t"
zh = "三倍的 `w` 是多少？"
en = "What is three times `w`?"
to = "t/p#three-times"
often = 1

[[question]]
part = "messages"
message = "y: 6"
to = "t/p"

[[absent]]
zh = "四倍呢？"
en = "And four times?"
see = "https://example.org"
often = 2
"""
PARTS = (OFTEN, "t", "messages", ABSENT)


@pytest.fixture
def asked(book: Book) -> Book:
    """A book with two questions, a page that lists them, and one that it doesn't answer."""
    book.write(FILE, RIGHT)
    for language, title in (("zh", "问题"), ("en", "Questions")):
        shown = "".join(f"\n::: {FILE}\n    part: {part}\n" for part in PARTS)
        book.write(f"docs/questions/index.{language}.md", f"# {title} {{ #questions }}\n{shown}")
    return book


def told(book: Book) -> list[str]:
    return [str(problem) for problem in problems_in_files(read_book(book.root))]


def test_a_message_without_a_part_is_in_no_list_and_a_question_without_one_is_refused(asked: Book):
    asked.write(FILE, RIGHT.replace('part = "messages"\n', ""))
    for language in ("zh", "en"):
        file = f"docs/questions/index.{language}.md"
        page = (asked.root / file).read_text(encoding="utf-8")
        asked.write(file, page.replace(f"\n::: {FILE}\n    part: messages\n", ""))
    assert told(asked) == []
    questions = read_questions(read_book(asked.root))
    assert [q.message for q in questions if not q.part] == ["y: 6"]
    asked.write(FILE, RIGHT.replace('part = "t"\n', ""))
    with pytest.raises(Unproved, match="the entry has no part"):
        read_questions(read_book(asked.root))


def test_each_part_becomes_a_list_of_links(asked: Book):
    assert told(asked) == []
    book = read_book(asked.root)
    questions = read_questions(book)
    assert parts(questions) == list(PARTS)

    def listed(part: str) -> list[str]:
        return entries(book.page("docs/questions/index.en.md"), part, questions, book)

    link = "- [What is three times `w`?](../t/p.en.md#three-times)"
    assert listed("t") == listed(OFTEN) == [link]
    assert listed("messages") == ["- [`y: 6`](../t/p.en.md)"]
    assert listed(ABSENT) == ["- [And four times?](https://example.org)"]
    text = asked.read("docs/questions/index.zh.md")
    assert "- [三倍的 `w` 是多少？](../t/p.zh.md#three-times)" in expand(
        parse("docs/questions/index.zh.md", text), read_book(asked.root)
    )


def test_a_message_as_other_versions_word_it_is_asked_for_listed_and_checked(asked: Book):
    asked.write(*recorded(asked, "1.4.0", "y = 6.0\n"))
    reason = '[[difference]]\nscripts = ["snippets/t/s.py"]\nsince = "1.5"\nzh = "因"\nen = "Why"\n'
    asked.write(REASONS, f'{reason}source = "https://example.org"\n')
    (missing,) = told(asked)
    assert missing.startswith(f"{FILE}:8: PyTorch 1.4.0 words this message otherwise")
    assert "found:    y = 6.0" in missing
    asked.change(FILE, 'message = "y: 6"', 'message = "y: 6"\nalso = ["y = 6"]')
    assert told(asked) == []
    book = read_book(asked.root)
    questions = read_questions(book)
    page = book.page("docs/questions/index.en.md")
    listed = entries(page, "messages", questions, book)
    assert listed == ["- [`y: 6`](../t/p.en.md) / `y = 6`"]
    assert asked_of(book.pages, Terms(), questions, "en")["t/p/"][-2:] == ["y: 6", "y = 6"]
    asked.change(FILE, "y = 6", "y = 7")
    problems = "\n".join(told(asked))
    assert f"{FILE}:8: no recorded version of PyTorch prints this wording" in problems


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ('to = "t/p#three-times"', 'to = "t/q"', 1, "the link leads to no file"),
        ("#three-times", "#four-times", 1, "the link leads to no heading"),
        ('en = "What is three times `w`?"\n', "", 1, "asked in both languages"),
        ('message = "y: 6"', 'message = "y: 7"', 8, "no script on docs/t/p.zh.md prints this"),
        ("often = 2", 'often = "2"', 13, "often is not a number from 1"),
        ('part = "t"', 'part = "u"', 1, "doesn't show this part"),
        ('part = "t"', 'part = "often"', 1, "this part is made of others"),
        ('part = "t"\n', "", 1, "the entry has no part"),
        ('see = "https', 'to = "t/p"\nsee = "https', 13, "leads to no page of it"),
        ('part = "t"', 'part = "t"\npage = "t/p"', 1, "unknown field"),
        ("`w` 是多少", "`torch.no_gard` 是多少", 1, "has no such name"),
        ('zh = "四倍呢？"', 'zh = "四倍呢？', 14, "this is not TOML"),
    ],
)
def test_what_is_wrong_is_told_in_its_line(asked: Book, old, new, where, what):
    asked.change(FILE, old, new)
    found = [problem for problem in told(asked) if what in problem]
    assert found and all(problem.startswith(f"{FILE}:{where}: ") for problem in found), told(asked)
    assert all("fix:" in problem and FILE in problem for problem in found)


def test_words_of_the_glossary_are_those_of_the_questions_too(asked: Book):
    asked.write(
        "docs/glossary/terms.toml",
        '[[term]]\nid = "w"\npart = "t"\nzh = "权重"\nen = "weight"\npage = "t/p"\n'
        'says.zh = "数"\nsays.en = "a number"\nwrong = ["权值"]\n',
    )
    asked.change(FILE, "三倍的 `w`", "三倍的权值")
    (problem,) = told(asked)
    assert problem.startswith(f"{FILE}:1: warning: the glossary has another word for this")


def test_a_page_that_answers_no_question_is_told(asked: Book):
    for language in ("zh", "en"):
        asked.write(f"docs/t/q.{language}.md", asked.read(f"docs/t/p.{language}.md"))
    (problem,) = told(asked)
    assert problem.startswith("docs/t/q.zh.md:1: warning: no question leads to this page")
    assert 'to = "t/q"' in problem and FILE in problem
