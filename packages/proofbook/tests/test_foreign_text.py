"""English on a Chinese page is marked as English, and nothing else is."""

from __future__ import annotations

import pytest
from proofbook.html.foreign_text import mark_english
from proofbook.html.tree import parse, serialize

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
def test_nothing_else_is(content):
    assert in_page(content, "zh") == content
