"""Code and formulas beside punctuation are marked: a style sheet leaves no gap between code and its
marks, and no line begins with the mark behind a formula."""

from __future__ import annotations

import pytest
from proofbook.html.close_up import close_up
from proofbook.html.tree import parse, serialize


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        ("<p><code>a</code>，b</p>", '<p><code class="ends">a</code>，b</p>'),
        ("<p>（<code>a</code>）</p>", '<p>（<code class="opens ends">a</code>）</p>'),
        (
            '<p>b (<a href="x"><code class="k">a</code></a>, c)</p>',
            '<p>b (<a href="x"><code class="k opens ends">a</code></a>, c)</p>',
        ),
    ],
)
def test_code_beside_punctuation_is_marked(content, marked):
    tree = parse(content)
    close_up(tree)
    assert serialize(tree) == marked


@pytest.mark.parametrize(
    "content",
    [
        "<p>b <code>a</code> c</p>",
        "<p><code>a</code><b>, c</b></p>",
        "<ul><li><code>a</code></li></ul>, c",
        "<pre><code>a</code></pre>.",
        "<trace-player><ol><li>(<code>a</code>).</li></ol></trace-player>",
    ],
)
def test_other_code_is_not(content):
    tree = parse(content)
    close_up(tree)
    assert serialize(tree) == content


MATH = '<span class="formula"><math><mn>2</mn></math></span>'


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (f"<p>a {MATH}。b</p>", f'<p>a <span class="unbroken">{MATH}。</span>b</p>'),
        (f"<p>{MATH}.</p>", f'<p><span class="unbroken">{MATH}.</span></p>'),
        (f"<p>a（{MATH}）。</p>", f'<p>a<span class="unbroken">（{MATH}）。</span></p>'),
        (f"<p>({MATH} b)</p>", f'<p><span class="unbroken">({MATH}</span> b)</p>'),
    ],
)
def test_a_formula_is_kept_with_its_marks(content, kept):
    tree = parse(content)
    close_up(tree)
    assert serialize(tree) == kept


@pytest.mark.parametrize("around", ["a {} b", "{}", "a，{} <b>b</b>。", "<b>{}</b>。"])
def test_another_formula_is_left(around):
    content = f"<p>{around.format(MATH)}</p>"
    tree = parse(content)
    close_up(tree)
    assert serialize(tree) == content
