"""The box below an answer: lines of scripts that ran, before and after."""

from __future__ import annotations

import pytest
from proofbook.directives.registry import expand
from proofbook.export.notebook import cells
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

PAGE = """\
# T { #t }

**Add them.**

::: do-this
    also: snippets/t/both.py
    before: a.back
    after: if ok:
    after: both.backward()

::: snippets/t/s.py
"""


@pytest.fixture
def shown(book):
    book.write("snippets/t/s.py", "try:\n    a.backward()\nfinally:\n    b = 1\n")
    book.write("snippets/t/s.out", "1\n")
    book.write("snippets/t/both.py", "if ok:\n    x\nboth.backward()\n")
    book.write("snippets/t/both.out", "1\n")

    def shown(page: str = PAGE, language: str = "en") -> str:
        return expand(parse(f"docs/t/p.{language}.md", page), read_book(book.root))

    return shown


def test_the_lines_stand_as_they_run_one_after_another(shown):
    assert (
        shown()
        .partition("::: ")[0]
        .partition("**\n\n")[2]
        .startswith(
            """\
!!! do-this "Do this"

    ```{ .python .before title="Before" }
    a.backward()
    ```

    ```{ .python .after title="After" }
    if ok:
        both.backward()
    ```
"""
        )
    )
    alone = shown(PAGE.replace("    before: a.back\n", ""), "zh")
    assert '!!! do-this "这样改"' in alone and "After" not in alone and "改后" not in alone


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("a.back", "a.forward", "no line has 'a.forward'"),
        ("a.back", "b", "a.backward() and"),
        ("t/both.py", "t/none.py", "t/none.py"),
        ("    after: if ok:\n    after: both.backward()\n", "", "none"),
    ],
)
def test_a_line_that_no_script_has_is_refused(shown, old, new, found):
    with pytest.raises(Unproved) as caught:
        shown(PAGE.replace(old, new))
    assert found in caught.value.problems[0].found and caught.value.problems[0].fix


def test_a_notebook_has_the_box_too(shown, book):
    shown()
    first = cells(parse("docs/t/p.en.md", PAGE), read_book(book.root), "en")[0].source
    assert "> **Do this**" in first and "> Before:\n> ```python" in first
