"""Formulas as MathML, and the problem of one that cannot be set."""

from __future__ import annotations

from math_core import LatexToMathML

from proofbook.model.page import Page
from proofbook.model.problem import Problem


def mathml_converter() -> LatexToMathML:
    """What sets the formulas of one page; it raises `math_core.LatexError`."""
    return LatexToMathML(fancy_error=False, annotation=True)


def wrong_formula(page: Page, latex: str, reason: str) -> Problem:
    """The problem with a formula of a page that is not LaTeX."""
    first, rows = latex.splitlines()[0], page.lines
    found = [n for said in (f"${first}", first) for n, row in enumerate(rows, 1) if said in row]
    line = found[0] if found else 1
    what, mend = "the formula cannot be set", "correct the formula on this line"
    return page.problem(line, what, "LaTeX", f"{latex}\n{reason}", mend)
