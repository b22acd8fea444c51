"""The formulas of a page can be set, and its equations hold, with what it and its runs say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from proofbook.maths.check import (
    FormulaError,
    mathml_converter,
    to_mathml,
    verdicts,
    wrong_equality,
    wrong_formula,
)
from proofbook.maths.judge import Verdict
from proofbook.maths.symbols import read_run
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import snippets_on_page


def wrong_formulas(page: Page, book: Book) -> Iterator[Problem]:
    """The formulas in the text of a page that cannot be set."""
    converter = mathml_converter() if page.maths else None
    for formula in page.maths:
        latex = formula.content.strip()
        try:
            to_mathml(converter, latex, formula.display)
        except FormulaError as error:
            yield wrong_formula(page, latex, str(error))


def wrong_equations(page: Page, book: Book) -> Iterator[Problem]:
    """The equations of a page whose sides differ."""
    for verdict in book.remember(equation_verdicts, page.file):
        if verdict.state == "wrong":
            yield wrong_equality(page, verdict)


def equation_verdicts(book: Book, file: str) -> tuple[Verdict, ...]:
    """What was found of each equation of a page."""
    read = partial(book.cached, read_run)
    return verdicts(book.page(file), book.fact(snippets_on_page, file), read)
