"""Formulas as MathML, and the problem of one that cannot be set."""

from __future__ import annotations

from math_core import LatexToMathML

from proofbook.model.problem import Problem


def mathml_converter() -> LatexToMathML:
    """What sets the formulas of one page; it raises `math_core.LatexError`."""
    return LatexToMathML(fancy_error=False, annotation=True)


def wrong_formula(file: str, text: str, latex: str, reason: str) -> Problem:
    """The problem with a formula that is not LaTeX; `text` is that of the page."""
    first, rows = latex.splitlines()[0], text.splitlines()
    found = [n for said in (f"${first}", first) for n, row in enumerate(rows, 1) if said in row]
    line = found[0] if found else 1
    what, mend = "the formula cannot be set", "correct the formula on this line"
    return Problem(file, line, what, "LaTeX", f"{latex}\n{reason}", mend, (file,))
