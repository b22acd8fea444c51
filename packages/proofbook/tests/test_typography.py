"""Code and formulas next to punctuation are marked, and English on a Chinese page."""

from __future__ import annotations

import pytest
from proofbook.html.text import mark_english, mark_punctuation
from proofbook.html.tree import parse, serialize

MATH = '<span class="formula"><math><mn>2</mn></math></span>'


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        ("<code>a</code>，b", '<code class="ends">a</code>，b'),
        ("（<code>a</code>）", '（<code class="opens ends">a</code>）'),
        (
            'b (<a href="x"><code class="k">a</code></a>, c)',
            'b (<a href="x"><code class="k opens ends">a</code></a>, c)',
        ),
        (f"a {MATH}。b", f'a <span class="unbroken">{MATH}。</span>b'),
        (f"a（{MATH}）。", f'a<span class="unbroken">（{MATH}）。</span>'),
        (f"({MATH} b)", f'<span class="unbroken">({MATH}</span> b)'),
        *((content, content) for content in (f"a {MATH} b", f"a，{MATH} <b>b</b>。")),
        *((content, content) for content in ("b <code>a</code> c", "<code>a</code><b>, c</b>")),
        *((content, content) for content in ("<li><code>a</code></li>,", "<b>,</b>")),
    ],
)
def test_code_and_formulas_next_to_punctuation_are_marked(content, marked):
    tree = parse(f"<div>{content}</div>")
    mark_punctuation(tree)
    assert serialize(tree) == f"<div>{marked}</div>"


@pytest.mark.parametrize(
    "content",
    [
        "<pre><code>a</code></pre>.",
        "<trace-player><ol><li>(<code>a</code>).</li></ol></trace-player>",
    ],
)
def test_blocks_of_code_and_steps_of_figures_are_not(content):
    tree = parse(content)
    mark_punctuation(tree)
    assert serialize(tree) == content


BLOCK = '<div class="highlight"><pre{}><span></span><code>print("to the end")</code></pre></div>'
LINK = '<a href="https://example.org/1"{}>{}</a>'


@pytest.mark.parametrize(
    ("content", "is_english"),
    [
        (BLOCK, True),
        (LINK.format("{}", "Why is <code>x</code> None"), True),
        ("<code{}>does not require grad</code>", True),
        (LINK.format("{}", "为什么 x is None"), False),
        (LINK.format("{}", "#42004"), False),
        ('<a href="../x/"{}>the next one</a>', False),
        ('<a class="api" href="https://example.org/1"{}>two words</a>', False),
        ("<code{}>w.grad</code>", False),
        ("<code{}>a + 2 * b</code>", False),
        ("<pre{}>你好</pre>", False),
    ],
)
def test_english_on_a_chinese_page_is_marked(content, is_english):
    for language in ("zh", "en", "de"):
        tree = parse(content.format(""))
        mark_english(tree, language)
        marked = ' lang="en"' if is_english and language == "zh" else ""
        assert serialize(tree) == content.format(marked)
