"""Answers, lines that only draw, and the code of labs are folded; nothing is lost."""

from __future__ import annotations

import pytest
from proofbook.html.code_lines import mark_lines
from proofbook.html.folds import fold_answers, fold_plotting, show_figure_first
from proofbook.html.tree import parse, serialize

DRAW = 'plt.plot(<span class="n">x</span>)\nplt.xlabel("x")\nplt.show()\n'


def lines(code: str, language: str = "") -> str:
    """A block of code whose lines are elements; folded in a language, if one is given."""
    tree = parse(f'<div class="highlight"><pre><code>{code}</code></pre></div>')
    mark_lines(tree)
    if language:
        fold_plotting(tree, language)
    return serialize(tree).partition("<code>")[2].partition("</code>")[0]


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Show the 3 lines that draw"), ("zh", "显示画图的 3 行")]
)
def test_the_last_lines_that_draw_are_folded(language, words):
    begin = '<span class="n">x</span> = 1\n\n<span class="hll">y = 2\n</span>'
    label = f'<label class="fold" data-search-exclude=""><input type="checkbox">{words}</label>'
    folded = f'{lines(begin)}{label}<span class="folded">{lines(DRAW)}</span>'
    assert lines(begin + DRAW, language) == folded


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nplt.plot(x)\nplt.show()\n",  # too few
        'x = 1\nplt.plot(x)\nplt.xlabel("x")\nprint(x)\n',  # the last line doesn't show
        DRAW,  # nothing but drawing
        "x = 1\nif x:\n    plt.plot(x)\n    plt.show()\n",
    ],
)
def test_other_scripts_stay_as_they_are(code):
    assert lines(code, "en") == lines(code)


def test_what_draws_in_a_loop_above_stays_with_the_loop():
    loop = "for x in 1, 2:\n    plt.plot(x)\n"
    assert lines(loop + DRAW, "en").startswith(f"{lines(loop)}<label")


CODE = '<div class="traced"><div class="highlight"><pre>w</pre></div></div>'


def asked(inner: str, language: str = "en", of: str = 'class="question"') -> str:
    tree = parse(f"<details {of}>\n<summary>T</summary>\n{inner}\n</details>")
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
    tree = parse(f"<p>See.</p>{code}{printed}<figure></figure><p>So.</p>")
    show_figure_first(tree, tree.css("figure"), "en")
    folded = f'<details class="code"><summary>Show the code</summary>{code}</details>'
    assert serialize(tree) == f"<p>See.</p><figure></figure>{folded}{printed}<p>So.</p>"


def test_code_that_is_folded_whole_has_no_fold_within():
    tree = parse(
        f'<div class="highlight"><pre><code>x = 1\n{DRAW}</code></pre></div><figure></figure>'
    )
    mark_lines(tree)
    fold_plotting(tree, "en")
    show_figure_first(tree, tree.css("figure"), "zh")
    assert "<label" not in serialize(tree) and "<summary>看代码</summary>" in serialize(tree)
