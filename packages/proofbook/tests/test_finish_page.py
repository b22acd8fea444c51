"""A page's HTML is parsed once, finished and written once; what its author wrote stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from proofbook.content.glossary import Term, Terms
from proofbook.html.finish import PageContext, finish_page
from proofbook.html.tree import parse, serialize
from proofbook.html.value_markers import CLOSE, NUMBERED, OPEN

TERMS = Terms((Term("leaf", "g", "叶子", "leaf", "t/other", {}),))
CONTEXT = PageContext(
    "en",
    "t/p",
    "assets/",
    terms=TERMS,
    glossary="glossary/",
    name_address=lambda text: "https://docs.example/grad" if text == ".grad" else None,
    scripts={"snippets/t/s.py": "files/snippets/t/s.py"},
)
TERM = '<a class="term" href="glossary/#leaf">leaf</a>'


def finished(content: str, **changed) -> str:
    return finish_page(content, replace(CONTEXT, **changed)).html


@pytest.mark.parametrize(
    "content",
    [
        "<p>a &lt; b &amp; c&nbsp;d &gt; e — “x”</p>",
        "<pre><code>if a &lt; b:\n    x = &amp;y  # leaf\n</code></pre>",
        "<p>x<!-- leaf -- .grad --></p>\n<!--pytest-codeblocks:expected-output-->\n",
        '<svg viewBox="0 0 9 9" preserveAspectRatio="none"><g><svg x="1"><linearGradient id="a" '
        'gradientUnits="userSpaceOnUse"></linearGradient><text>leaf</text></svg></g></svg>',
        '<details class="x"><summary>leaf</summary><p>y</p></details>',
        '<math display="block"><mn>3</mn><mo>&lt;</mo><mtext>leaf</mtext></math>',
        "<script>if (a < b && c) leaf()</script><style>a > b {}</style>",
        '<input type="checkbox" disabled=""><br><img alt="leaf &quot;x&quot;" src="a.svg">',
        "\n  text alone, then <b>bold</b>\n",
    ],
)
def test_what_is_not_changed_is_written_as_it_was(content):
    assert serialize(parse(content)) == content
    assert finished(content) == content


@pytest.mark.parametrize(
    ("content", "browser"),
    [
        ("<p>one<p>two <b>three", "<p>one</p><p>two <b>three</b></p>"),
        ("</div>a</p></body>b", "a<p></p>b"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<p><div>a</div></p>", "<p></p><div>a</div><p></p>"),
        (
            "<svg viewbox='0 0 9 9'><path d=m0 /></svg>",
            '<svg viewBox="0 0 9 9"><path d="m0"></path></svg>',
        ),
    ],
)
def test_what_an_author_left_open_becomes_what_a_browser_makes_of_it(content, browser):
    assert finished(content) == browser


def test_text_after_an_unclosed_tag_is_still_linked():
    assert finished("<p>one <b>two<p>leaf") == f"<p>one <b>two</b></p><p><b>{TERM}</b></p>"


def test_everything_is_done_on_one_page():
    content = (
        '<div class="highlight"><span class="filename">snippets/t/s.py</span><pre><span></span>'
        "<code>x = 1\n</code></pre></div>"
        '<p>A leaf, <code>.grad</code>, <span class="arithmatex">\\(a &lt; \\sqrt{2}\\)</span></p>'
        '<figure class="trace"></figure>'
    )
    page = finish_page(content, replace(CONTEXT, taken_as={"markdown": "p.md", "colab": None}))
    assert f'<p>A {TERM}, <a class="api" href="https://docs.example/grad">' in page.html
    assert 'class="take-script" href="files/snippets/t/s.py" download=""' in page.html
    assert 'title="Download s.py"' in page.html
    assert page.html.startswith('<link rel="stylesheet" href="assets/trace.css">')
    assert '<script src="assets/trace.js"></script><nav class="take"' in page.html
    assert page.html.count("<math") == 1 and "arithmatex" not in page.html
    assert page.formula_characters == set("a<2√") and page.wrong_formulas == []


def test_a_figure_stands_in_one_element_with_its_code_and_what_that_printed():
    figure, other = '<figure class="trace"></figure>', "<p>not of it</p>"
    code, output = '<div class="highlight">1</div>', '<div class="output highlight">2</div>'
    page = finish_page(f"{code}{other}{code}<!-- 3 -->\n{output}{figure}{figure}", CONTEXT).html
    both = f'<div class="traced"><div>{code}<!-- 3 -->\n{output}</div>{figure}</div>{figure}'
    assert f"{code}{other}{both}" in page


def test_a_formula_that_is_not_latex_stays_and_is_given_back():
    content = '<span class="arithmatex">\\(\\frac{1\\)</span>'
    page = finish_page(content, None)
    assert page.html == content
    assert [latex for latex, _ in page.wrong_formulas] == [r"\frac{1"]


def test_no_marker_is_left_wherever_it_came_to_stand():
    marked = f"{OPEN}0{NUMBERED}48{CLOSE}"
    content = f'<h2 title="{marked}">{marked}</h2><p><img alt="{marked}"></p><!-- {marked} -->'
    assert finished(content) == content.replace(marked, "48")


def test_a_book_in_another_language_falls_back_to_english():
    content = '<span class="filename">snippets/t/s.py</span><p><code>this is a message</code></p>'
    page = finished(content, language="de", taken_as={"colab": "c"})
    assert "Download s.py" in page and "Open in Colab" in page
    assert "lang=" not in page
