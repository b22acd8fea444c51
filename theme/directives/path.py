"""A way through the book: pages in an order, with their minutes, and the time that they take.

::: path
    pages: basics/leaf, basics/grad-fn
"""

from __future__ import annotations

import posixpath
import re

from proofbook.content.lessons import minutes
from proofbook.content.page_summary import title
from proofbook.directives import Directive
from proofbook.markdown.spans import Option, Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Unproved

OPTIONS = {"pages": Option("pages: <the names of pages, with commas between them>")}
_EXERCISE = 4
"""The minutes for an exercise."""
_LINE = {"zh": "{} 分钟", "en": "{} min"}
_SUM = {
    "zh": "读一遍约 {read} 分钟；{exercises} 道题都做，一共约 {all} 分钟。",
    "en": "About {read} minutes to read, {all} with all {exercises} exercises.",
}


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    """A numbered list of the pages, and the sum of their times below it."""
    lines, read, exercises = [], 0, 0
    for number, name in enumerate((reference.option("pages") or "").split(","), start=1):
        file = book.page_file(name.strip(), page.language)
        if not book.has(file):
            what, expected = "a page of this path isn't there", OPTIONS["pages"].form
            raise Unproved([page.problem(reference.line, what, expected, name, "correct it")])
        shown, spent, found = book.fact(_of_page, file)
        address = posixpath.relpath(file, posixpath.dirname(page.file))
        lines.append(f"{number}. [{shown}]({address}) · {_LINE[page.language].format(spent)}")
        read, exercises = read + spent, exercises + found
    total = {"read": read, "exercises": exercises, "all": read + _EXERCISE * exercises}
    lines += ["", _SUM[page.language].format(**total)]
    return [reference.indent + line if line else "" for line in lines]


def _of_page(book: Book, file: str) -> tuple[str, int, int]:
    """The title of a page, its minutes, and how many exercises it has."""
    page = book.page(file)
    return title(page), minutes(page), len(re.findall(r"(?m)^\?\?\? question", page.text))


DIRECTIVES = [Directive("path", _expand, OPTIONS)]
