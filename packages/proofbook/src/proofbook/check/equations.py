"""The equations of a page hold: both sides are evaluated, with what the page and its runs say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from proofbook.maths.check import verdicts, wrong_equality
from proofbook.maths.python_code import read_run
from proofbook.maths.verdict import Verdict
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import snippets_on_page


def wrong_equations(page: Page, book: Book) -> Iterator[Problem]:
    """The equations of a page whose sides differ."""
    for verdict in book.remember(equation_verdicts, page.file):
        if verdict.state == "wrong":
            yield wrong_equality(page, verdict)


def equation_verdicts(book: Book, file: str) -> tuple[Verdict, ...]:
    """What was found of each equation of a page."""
    read = partial(book.cached, read_run)
    return verdicts(book.page(file), book.fact(snippets_on_page, file), read)
