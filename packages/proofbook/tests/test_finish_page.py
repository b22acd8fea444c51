"""A page's HTML is parsed once, finished and written once; what its author wrote stays."""

from __future__ import annotations

import pytest
from proofbook.html.page import FinishedPage, Place, finish_page
from proofbook.html.tree import parse, serialize
from proofbook.html.values import CLOSE, NUMBERED, OPEN
from proofbook.model.book import read_book

TERMS = """\
[[term]]
id = "leaf"
part = "g"
zh = "叶子"
en = "leaf"
page = "index"
says.zh = "叶子。"
says.en = "A leaf."
"""
TERM = '<a class="term" href="glossary/#leaf" data-says="A leaf.">leaf</a>'
READER = '<script src="files/assets/reader.js"></script>'


@pytest.fixture
def finish(book):
    book.write("docs/glossary/terms.toml", TERMS)
    book.write("docs/index.en.md", "# H { #h }\n")
    book.write("docs/glossary/index.en.md", "# G { #g }\n")

    def finish(content: str, file: str = "docs/t/p.en.md", **others: str) -> FinishedPage:
        place = Place(file, "en", "t/p/", others, lambda _: "glossary/", "files/{}".format)
        return finish_page(content, read_book(book.root), place)

    return finish


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
def test_what_is_not_changed_is_written_as_it_was(finish, content):
    assert serialize(parse(content)) == content
    assert finish(content).html == content


def test_what_an_author_left_open_becomes_what_a_browser_makes_of_it(finish):
    content = "<p>one <b>two<p>leaf<svg viewbox='0 0 9 9'><path d=m0 /></svg>"
    svg = '<svg viewBox="0 0 9 9"><path d="m0"></path></svg>'
    assert finish(content).html == f"<p>one <b>two</b></p><p><b>{TERM}{svg}</b></p>{READER}"


def test_everything_is_done_on_one_page(finish):
    content = (
        '<div class="highlight"><span class="filename">snippets/t/s.py</span><pre><span></span>'
        "<code>x = 1\n</code></pre></div>"
        '<p>A leaf, <span class="arithmatex">\\(a &lt; \\sqrt{2}\\)</span></p>'
        '<figure class="trace"></figure><span class="arithmatex">\\(\\frac{1\\)</span>'
    )
    page = finish(content, markdown="p.md")
    assert f"<p>A {TERM}, <span" in page.html
    assert 'class="take-script" href="files/snippets/t/s.py" download=""' in page.html
    assert 'title="Download s.py"' in page.html
    assert page.html.startswith('<link rel="stylesheet" href="files/assets/trace.css">')
    assert '<script src="files/assets/trace.js"></script><nav class="take"' in page.html
    assert page.html.count("<math") == 1 and page.formula_characters == set("a<2√")
    assert [latex for latex, _ in page.wrong_formulas] == [r"\frac{1"]
    assert '<span class="arithmatex">\\(\\frac{1\\)</span>' in page.html


def test_a_figure_stands_in_one_element_with_its_code_and_what_that_printed(finish):
    figure, other = '<figure class="trace"></figure>', "<p>not of it</p>"
    code, output = '<div class="highlight">1</div>', '<div class="output highlight">2</div>'
    page = finish(f"{code}{other}{code}<!-- 3 -->\n{output}{figure}{figure}").html
    both = f'<div class="traced"><div>{code}<!-- 3 -->\n{output}</div>{figure}</div>{figure}'
    assert f"{code}{other}{both}" in page


def test_no_marker_is_left_wherever_it_came_to_stand(finish):
    marked = f"{OPEN}0{NUMBERED}48{CLOSE}"
    content = f'<h2 title="{marked}">{marked}</h2><p><img alt="{marked}"></p><!-- {marked} -->'
    assert finish(content).html == content.replace(marked, "48")
