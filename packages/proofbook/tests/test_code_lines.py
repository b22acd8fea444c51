"""Lines of code and notes on them: comments in the code, in the language of the page."""

from __future__ import annotations

import pytest
from proofbook.check.languages import _order
from proofbook.directives.registry import expand
from proofbook.export.downloads import write_scripts
from proofbook.export.notebook import cells
from proofbook.html.code_lines import ROOM, mark_lines, place_notes
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.markdown.spans import OPTIONS
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

PAGE = "docs/t/p.en.md"
NOTED = "::: snippets/t/s.py\n    note: 3 * w | times 3 | as said\n    highlight: 3 * w\n"


def test_a_note_is_a_comment_of_its_line(book):
    text = expand(parse(PAGE, NOTED.replace(" | as said", "")), read_book(book.root))
    assert 'hl_lines="2"\nw = 2.0\ny = 3 * w  # times 3\nprint("y:", y)\n```' in text


def test_what_the_note_is_about_may_hold_a_bar(book):
    book.write("snippets/t/s.py", "w = 2\ny = w | 4\nprint('y:', y)\n")
    text = "::: snippets/t/s.py\n    note: w | 4 | either bit\n"
    assert "y = w | 4  # either bit\n" in expand(parse(PAGE, text), read_book(book.root))


def test_notebooks_and_downloads_have_the_notes_of_their_language(book, tmp_path):
    for language, words in (("zh", "三倍"), ("en", "three times")):
        file = f"docs/t/p.{language}.md"
        book.write(file, book.read(file) + f"    note: 3 * w | {words}\n")
    read = read_book(book.root)
    for language, words in (("zh", "三倍"), ("en", "three times")):
        write_scripts(read, language, tmp_path / language)
        script = (tmp_path / language / "snippets/t/s.py").read_text("utf-8")
        assert script == book.read("snippets/t/s.py").replace("* w\n", f"* w  # {words}\n")
        page = read.page(f"docs/t/p.{language}.md")
        [code] = [c.source for c in cells(page, read, language) if c.cell_type == "code"]
        assert code == script.rstrip("\n")


@pytest.mark.parametrize(
    ("code", "note", "what"),
    [
        ("y = 3\n", "y | it", "the text of the note does not name one line"),
        ("y = 3\n", "z = 3 | it", "the text of the note does not name one line"),
        ("y = 3\n", "y = 3", "this is not a note for a line of the code"),
        ("y = 3\n", "y = 3 | ", "this is not a note for a line of the code"),
        ("y = 3\n", "y = 3 | `y`", "this is not a note for a line of the code"),
        ("y = 3 + \\\n    4\n", "y = 3 | it", "the note cannot stand here"),
        ('y = """a = 3\n"""\n', "a = 3 | it", "the note cannot stand here"),
        ("a = 3  # last digits\n", "a = 3 | it", "the note cannot stand here"),
        ("a = 3\n", "a = 3 | it\n    note: = 3 | it", "the note cannot stand here"),
    ],
)
def test_a_note_that_cannot_stand_in_the_code_is_told(book, code, note, what):
    book.write("snippets/t/s.py", f"{code}print('y:', y)\n")
    with pytest.raises(Unproved) as raised:
        expand(parse(PAGE, f"::: snippets/t/s.py\n    note: {note}\n"), read_book(book.root))
    [problem] = raised.value.problems
    assert problem.what == what and problem.line in (2, 3)


def test_within_brackets_each_line_may_have_one(book):
    book.write("snippets/t/s.py", "w = [\n    2.0,\n    3.0,\n]\nprint('w:', w)\n")
    text = "::: snippets/t/s.py\n    note: w = [ | a list\n    note: 2.0 | first\n"
    assert "w = [  # a list\n    2.0,  # first\n" in expand(parse(PAGE, text), read_book(book.root))


def test_both_languages_note_the_same_lines():
    one = parse("docs/t/p.zh.md", "::: snippets/t/s.py\n    note: 3 * w | 三倍\n")
    other = parse("docs/t/p.en.md", "::: snippets/t/s.py\n    note: 3 * w | times 3\n")
    assert list(_order(one, other, OPTIONS)) == []
    other = parse("docs/t/p.en.md", "::: snippets/t/s.py\n    note: w = 2 | two\n")
    assert [problem.line for problem in _order(one, other, OPTIONS)] == [1]


def test_a_number_in_a_note_is_checked_as_in_the_text():
    page = parse(PAGE, "::: snippets/t/s.py\n    note: w = 12 | times 35\n")
    assert "35" in page.prose and "12" not in page.prose


X = '<span class="n">x</span>'


def line(code: str, style: str = "", kind: str = "code-line") -> str:
    return f'<span class="{kind}"{style}>{code}\n</span>'


def laid_out(code: str, kind: str = "highlight") -> str:
    tree = parse_html(f'<div class="{kind}"><pre><code>{code}</code></pre></div>')
    mark_lines(tree)
    place_notes(tree)
    return serialize(tree).partition("<code>")[2].partition("</code>")[0]


def test_each_line_is_an_element_that_knows_its_indentation():
    blank = '<span class="w"> </span>'
    found = laid_out(f'a{blank}= {X}\n\n    {X}\n<span class="hll">  {X}\n</span>{X} +\n')
    highlighted = line(f"  {X}", ' style="--indent:2ch"', "hll code-line")
    expected = [line(f"a = {X}"), line(""), line(f"    {X}", ' style="--indent:4ch"')]
    assert found == "".join([*expected, highlighted, line(f"{X} +")])


def test_what_is_printed_stays_as_it_is():
    printed = f"{X}\n\n  1\n"
    assert laid_out(printed, "output highlight") == printed


def test_a_comment_at_the_end_of_a_line_is_a_note_and_all_of_it_stays_in_the_text():
    found = laid_out(f'    {X}  <span class="c1"># a &lt; b</span>\n{X}\n')
    note = '<span class="c1 note"><span class="mark"># </span>a &lt; b</span>'
    assert found == line(f"    {X}  {note}", ' style="--indent:4ch"') + line(X)


@pytest.mark.parametrize(
    ("words", "below"), [("x" * 58, False), ("x" * 59, True), ("字" * 29, False), ("字" * 30, True)]
)
def test_where_the_line_has_no_room_the_note_stands_below_it(words, below):
    assert ROOM == 64
    code = f'{X}   <span class="c1"># {words}</span>\n'
    assert ("c1 note below" in laid_out(code)) == below


@pytest.mark.parametrize(
    "code", [f'{X} <span class="c1">#!/bin/python</span>', '<span class="c1"># x</span>']
)
def test_a_comment_of_another_form_and_one_without_code_are_left_alone(code):
    assert laid_out(f"{code}\n") == line(code)
