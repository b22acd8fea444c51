"""Code and formulas next to punctuation are marked, and English on a Chinese page."""

from __future__ import annotations

import pytest
from proofbook.html.tree import parse, serialize
from proofbook.html.typography import mark_english, mark_punctuation


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
def test_code_next_to_punctuation_is_marked(content, marked):
    tree = parse(content)
    mark_punctuation(tree)
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
    mark_punctuation(tree)
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
    mark_punctuation(tree)
    assert serialize(tree) == kept


@pytest.mark.parametrize("around", ["a {} b", "{}", "a，{} <b>b</b>。", "<b>{}</b>。"])
def test_another_formula_is_left(around):
    content = f"<p>{around.format(MATH)}</p>"
    tree = parse(content)
    mark_punctuation(tree)
    assert serialize(tree) == content


BLOCK = '<div class="highlight"><pre><span></span><code>print("to the end")</code></pre></div>'


def in_page(content: str, language: str) -> str:
    tree = parse(content)
    mark_english(tree, language)
    return serialize(tree)


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        (BLOCK, BLOCK.replace("<pre>", '<pre lang="en">')),
        (
            '<a href="https://example.org/1">Why is <code>x</code> None</a>',
            '<a href="https://example.org/1" lang="en">Why is <code>x</code> None</a>',
        ),
        (
            "<code>does not require grad</code>",
            '<code lang="en">does not require grad</code>',
        ),
    ],
)
def test_english_on_a_chinese_page_is_marked(content, marked):
    assert in_page(content, "zh") == marked
    assert in_page(content, "en") == in_page(content, "de") == content


@pytest.mark.parametrize(
    "content",
    [
        '<a href="https://example.org/1">为什么 x is None</a>',
        '<a href="https://example.org/1">#42004</a>',
        '<a href="https://example.org/1">#42004</a>，<a href="../x/">the next one</a>',
        '<a class="api" href="https://example.org/1"><code>torch.tensor</code></a>',
        "<code>w.grad</code>",
        "<code>a + 2 * b</code>",
        "<pre>你好</pre>",
    ],
)
def test_nothing_else_is_marked_as_english(content):
    assert in_page(content, "zh") == content
