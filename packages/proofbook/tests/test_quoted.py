"""English on a Chinese page is marked as English, and nothing else is."""

from __future__ import annotations

import pytest
from proofbook.html.foreign_text import mark_english

BLOCK = '<div class="highlight"><pre><span></span><code>print(&quot;to the end&quot;)</code></pre>'


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
    assert mark_english(content, "zh") == marked
    assert mark_english(content, "en") == content


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
    assert mark_english(content, "zh") == content
