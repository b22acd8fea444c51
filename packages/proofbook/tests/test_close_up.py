"""Code beside punctuation is marked, so that a style sheet leaves no gap between the two."""

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
