"""What would run in a reader's browser is refused, unless the page is listed for it."""

from __future__ import annotations

import pytest
from proofbook.check.markup import active_html
from proofbook.model.book import read_book

PAGE = "docs/t/p.en.md"


@pytest.fixture
def found(book):
    """The lines of the page, with this text at its end, in which something is refused."""

    def refused(text: str, settings: str = "") -> list[int]:
        book.change(PAGE, book.read(PAGE), f"# One {{ #one }}\n\n{text}\n")
        if settings:
            book.write("mkdocs.yml", settings)
        whole = read_book(book.root)
        return [problem.line for problem in active_html(whole.page(PAGE), whole)]

    return refused


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<script>alert(1)</script>", 3),
        ("<div>\n<SCRIPT src=x></SCRIPT>\n</div>", 4),
        ('a <img src="x" onerror="alert(1)"> b', 3),
        ("<img src=x\nonload = f()>", 3),
        ('<iframe src="https://example.org"></iframe>', 3),
        ("[words](javascript:alert(1))", 3),
        ("[words][there]\n\n[there]: javascript:alert(1)", 5),
        ('<a href="javascript:alert(1)">words</a>', 3),
        ("[words](data:text/html,<script>alert(1)</script>)", 3),
        ("<object data=x></object>", 3),
        ("`words`{ onclick=f() }", 3),
        ('## Two { #two onclick="f()" }', 3),
        ('words\n{ onclick="f()" }', 4),
    ],
)
def test_what_runs_is_refused_in_its_line(found, text, line):
    assert found(text)[:1] == [line]
    allowed = f"plugins:\n  - proofbook: {{languages: [zh, en], active_html: [{PAGE}]}}\n"
    assert found(text, allowed) == []


@pytest.mark.parametrize(
    "text",
    [
        "`<script>` and `onerror=` in code, and the word javascript: it is a language.",
        "```text\n<script>alert(1)</script>\n```",
        '<div class="note" markdown>\n\nwords\n\n</div>',
        "On one = 1 day, once=1, `button onclick=f`.",
        "[a link](https://example.org/?on=1) and <https://example.org/onload=1>",
        '<span lang="zh" title="option = 1">字</span>',
    ],
)
def test_what_is_only_text_is_accepted(found, text):
    assert found(text) == []
