"""The formulas of a page: each can be rendered as MathML, and both sides of an equality agree.

Numbers are computed. An equality with letters holds as an identity, with the page's definitions (y
= 2w - 1) substituted and derivatives taken; or with the values of the letters on the page and in
its runs. Letters are real numbers of any sign, except where all their known values have one sign.
Equalities that can't be decided so are left open: they are counted and listed, but are not a
problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec

from math_core import LatexError, LatexToMathML

from proofbook.maths.equalities import equalities
from proofbook.maths.judge import Verdict, judge
from proofbook.maths.symbols import read_run
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import ShownSnippet, snippets_on_page


def wrong_formulas(page: Page, book: Book) -> Iterator[Problem]:
    """The formulas in the text of a page that cannot be rendered, or not be checked."""
    converter = mathml_converter() if page.maths else None
    if page.maths and (missing := missing_software()):
        line, what = page.line_of(page.maths[0].start), "the formulas of this page are not checked"
        fix = "python -m pip install 'proofbook[maths]'"
        yield page.problem(line, what, "what checks and draws them", f"no {missing}", fix)
    for formula in page.maths:
        latex = formula.content.strip()
        try:
            to_mathml(converter, latex, formula.display)
        except FormulaError as error:
            yield wrong_formula(page, latex, str(error))


@lru_cache(maxsize=1)
def missing_software() -> str:
    """What formulas need (the extra `maths`) and is not installed, or ""."""
    needed = ("sympy", "latex2sympy2_extended", "numpy", "ziamath", "fontTools")
    return ", ".join(name for name in needed if not find_spec(name))


def wrong_equations(page: Page, book: Book) -> Iterator[Problem]:
    """The equations of a page whose sides differ."""
    for verdict in book.remember(equation_verdicts, page.file):
        if verdict.state == "wrong":
            yield wrong_equality(page, verdict, book.config.everywhere)


def equation_verdicts(book: Book, file: str) -> tuple[Verdict, ...]:
    """The verdict on each equation of a page."""
    return verdicts(book.page(file), book.fact(snippets_on_page, file))


def wrong_equality(page: Page, verdict: Verdict, everywhere: str = "") -> Problem:
    """An equality whose sides differ, as a problem of its page, to be corrected `everywhere`."""
    return page.problem(
        page.line_of(verdict.equality.place),
        "the two sides of the equation differ",
        verdict.expected,
        str(verdict.equality),
        f"correct the equation{everywhere}",
    )


def verdicts(page: Page, runs: Sequence[ShownSnippet] = ()) -> tuple[Verdict, ...]:
    """Every equality of a page, judged.

    `runs`: the runs of the references of the page, in order.
    """
    found = list(equalities(page))
    if not found or missing_software():
        return tuple(Verdict(equality, "open") for equality in found)
    judged = judge(page, found, [read_run(run.code, run.output) for run in runs])
    # A definition is checked by its computed consequences.
    places = frozenset().union(*(one.used for one in judged if one.state == "proved"))
    return tuple(
        replace(one, state="proved")
        if one.state == "open" and one.equality.place in places
        else one
        for one in judged
    )


LONGEST = 3000
"""The maximum number of characters of a formula: deep nesting crashes the process."""


class FormulaError(ValueError):
    """The formula cannot be rendered; says why."""


def mathml_converter() -> LatexToMathML:
    """The converter of the formulas of one page, for `to_mathml`."""
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
    """The problem for a formula of a page that is not valid LaTeX."""
    first, rows = latex.partition("\n")[0], page.lines
    found = [n for said in (f"${first}", first) for n, row in enumerate(rows, 1) if said in row]
    line = found[0] if found else 1
    what, fix = "the formula cannot be set", "correct the formula on this line"
    return page.problem(line, what, "LaTeX", f"{latex}\n{reason}", fix)
