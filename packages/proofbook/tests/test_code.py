"""Blocks of code: their lines, the notes on them in the language of the page, folded parts."""

from __future__ import annotations

import pytest
from proofbook.check.languages import _order
from proofbook.directives.registry import expand
from proofbook.export.notebook import cells
from proofbook.export.site_files import write_scripts
from proofbook.html.code import (
    ROOM,
    fold_answers,
    fold_ends,
    mark_lines,
    place_notes,
    show_figure_first,
)
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.markdown.spans import OPTIONS
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

PAGE = "docs/t/p.en.md"


@pytest.mark.parametrize(
    ("code", "notes", "shown"),
    [
        ("y = 3 * 2\n", ["3 * 2 | times 2"], "y = 3 * 2  # times 2\n"),
        ("y = 2 | 4\n", ["2 | 4 | either bit"], "y = 2 | 4  # either bit\n"),
        (
            "y = [\n    2.0,\n]\n",
            ["y = [ | a list", "2.0 | first"],
            "y = [  # a list\n    2.0,  # first\n]\n",
        ),
    ],
)
def test_a_note_is_a_comment_of_its_line(book, code, notes, shown):
    book.write("snippets/t/s.py", f"{code}print('y:', y)\n")
    options = "".join(f"    note: {note}\n" for note in notes)
    text = expand(parse(PAGE, f"::: snippets/t/s.py\n{options}"), read_book(book.root))
    assert f"\n{shown}print" in text


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
        ("y = 3\n", "y = 3", "this is not a note for a line of the code"),
        ("y = 3\n", "y = 3 | `y`", "this is not a note for a line of the code"),
        ("y = 3 + \\\n    4\n", "y = 3 | it", "the note cannot stand here"),
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


DRAW = 'plt.plot(<span class="n">x</span>)\nplt.xlabel("x")\nplt.show()\n'


def block(code: str, language: str = "") -> str:
    """A block of code whose lines are elements; folded in a language, if one is given."""
    tree = parse_html(f'<div class="highlight"><pre><code>{code}</code></pre></div>')
    mark_lines(tree)
    if language:
        fold_ends(tree, language)
    return serialize(tree).partition("<code>")[2].partition("</code>")[0]


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Show the 3 lines that draw"), ("zh", "显示画图的 3 行")]
)
def test_the_last_lines_that_draw_are_folded(language, words):
    begin = '<span class="n">x</span> = 1\n\n<span class="hll">y = 2\n</span>'
    label = f'<label class="fold" data-search-exclude=""><input type="checkbox">{words}</label>'
    folded = f'{block(begin)}{label}<span class="folded">{block(DRAW)}</span>'
    assert block(begin + DRAW, language) == folded


def test_the_lines_that_start_processes_are_folded_with_the_blank_lines_above():
    begin = "def train(rank):\n    return rank\n"
    start = "def start(rank):\n    dist.init_process_group(rank)\n    return train(rank)\n"
    found = block(f"{begin}\n\n{start}\nstart(0)\n", "en")
    shown, label, folded = found.partition("Show the 5 lines that start the processes</label>")
    assert label and "train(rank):" in shown and "init_process_group" in folded
    assert (
        block(f"{begin}{start.replace('dist', '<b class=note>dist</b>')}start(0)\n", "en").count(
            "fold"
        )
        == 0
    ), "a line with a note stays in sight"


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nplt.plot(x)\nplt.show()\n",  # too few
        'x = 1\nplt.plot(x)\nplt.xlabel("x")\nplt.ylabel("y")\n',  # the last line doesn't show
        DRAW,  # nothing but drawing
        "x = 1\nif x:\n    plt.plot(x)\n    plt.show()\n",
    ],
)
def test_other_scripts_stay_as_they_are(code):
    assert block(code, "en") == block(code)


def test_what_draws_in_a_loop_above_stays_with_the_loop():
    loop = "for x in 1, 2:\n    plt.plot(x)\n"
    assert block(loop + DRAW, "en").startswith(f"{block(loop)}<label")


CODE = '<div class="traced"><div class="highlight"><pre>w</pre></div></div>'


def asked(inner: str, language: str = "en", of: str = 'class="question"') -> str:
    tree = parse_html(f"<details {of}>\n<summary>T</summary>\n{inner}\n</details>")
    fold_answers(tree, language)
    return " ".join(serialize(tree).split())


@pytest.mark.parametrize(
    ("inner", "shown", "label", "folded"),
    [
        (f"<p>Is it?</p>\n{CODE}\n<p>It is.</p>", "<p>Is it?</p>", "Code, output and answer",
         f"{CODE} <p>It is.</p>"),
        ("<p>Is it?</p><p>It is.</p><p>So.</p>", "<p>Is it?</p>", "Answer",
         "<p>It is.</p><p>So.</p>"),
        (f"{CODE}<p>It is.</p>", "", "Code, output and answer", f"{CODE}<p>It is.</p>"),
    ],
)  # fmt: skip
def test_the_question_is_shown_and_the_answer_folded(inner, shown, label, folded):
    found = asked(inner).replace("> <", "><")
    assert found == (
        f'<div class="admonition question"><p class="admonition-title">T</p>{shown}'
        f'<details class="answer"><summary data-search-exclude="">{label}</summary>'
        f"{folded}</details></div>"
    ).replace("> <", "><")
    assert {"Answer": ">答案<"}.get(label, ">代码、输出和答案<") in asked(inner, "zh")


@pytest.mark.parametrize("of", ['class="success"', 'class="question" open=""'])
def test_another_box_and_an_open_one_stay_as_they_are(of):
    assert asked("<p>a</p><p>b</p>", of=of).startswith(f"<details {of}> <summary>")


def test_a_question_without_an_answer_has_no_fold():
    assert "<details" not in asked("<p>Is it?</p>")


def test_the_figure_of_a_lab_stands_before_its_code():
    code = '<div class="highlight"><pre><code>w\n</code></pre></div>'
    printed = '<div class="highlight output"><pre><code>2\n</code></pre></div>'
    tree = parse_html(f"<p>See.</p>{code}{printed}<figure></figure><p>So.</p>")
    show_figure_first(tree, tree.css("figure"), "en")
    folded = f'<details class="code"><summary>Show the code</summary>{code}</details>'
    assert serialize(tree) == f"<p>See.</p><figure></figure>{folded}{printed}<p>So.</p>"


def test_code_that_is_folded_whole_has_no_fold_within():
    tree = parse_html(
        f'<div class="highlight"><pre><code>x = 1\n{DRAW}</code></pre></div><figure></figure>'
    )
    mark_lines(tree)
    fold_ends(tree, "en")
    show_figure_first(tree, tree.css("figure"), "zh")
    assert "<label" not in serialize(tree) and "<summary>看代码</summary>" in serialize(tree)
