"""The formulas of a page are LaTeX that the site can set."""

from __future__ import annotations

from collections.abc import Iterator

from proofbook.maths.mathml import FormulaError, mathml_converter, to_mathml, wrong_formula
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem


def wrong_formulas(page: Page, book: Book) -> Iterator[Problem]:
    """The formulas in the text of a page that cannot be set."""
    converter = mathml_converter() if page.maths else None
    for formula in page.maths:
        latex = formula.content.strip()
        try:
            to_mathml(converter, latex, formula.display)
        except FormulaError as error:
            yield wrong_formula(page, latex, str(error))
