"""Formulas as MathML, and the problem of one that cannot be set."""

from __future__ import annotations

from math_core import LatexError, LatexToMathML

from proofbook.model.page import Page
from proofbook.model.problem import Problem

LONGEST = 3000
"""The most characters of a formula: what nests deeper than the stack ends the process."""


class FormulaError(ValueError):
    """The formula cannot be set; says why."""


def mathml_converter() -> LatexToMathML:
    """What sets the formulas of one page, for `to_mathml`."""
    return LatexToMathML(fancy_error=False, annotation=True)


def to_mathml(converter: LatexToMathML, latex: str, display: bool) -> str:
    """A formula as MathML; raises `FormulaError`."""
    if len(latex) > LONGEST:
        raise FormulaError(f"it has {len(latex)} characters, and may have {LONGEST}")
    try:
        return converter.convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise FormulaError(str(error)) from error


def wrong_formula(page: Page, latex: str, reason: str) -> Problem:
    """The problem with a formula of a page that is not LaTeX."""
    first, rows = latex.partition("\n")[0], page.lines
    found = [n for said in (f"${first}", first) for n, row in enumerate(rows, 1) if said in row]
    line = found[0] if found else 1
    what, mend = "the formula cannot be set", "correct the formula on this line"
    return page.problem(line, what, "LaTeX", f"{latex}\n{reason}", mend)
