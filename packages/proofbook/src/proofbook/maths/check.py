"""Equalities in the maths of a page: both sides are evaluated, and must agree.

Numbers are computed. An equality with letters holds as an identity, with what the page defines
(y = 2w - 1) put in and derivatives taken; or with the values that the page and its runs give to
the letters. Letters are real numbers of any sign, except where the page states a condition (w > 0)
or all their values at hand have one sign. What can't be decided so is left open: it is counted and
listed, but no problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from proofbook.maths.equalities import Equality, equalities
from proofbook.maths.python_code import read_run
from proofbook.maths.symbol_values import SymbolValues
from proofbook.maths.verdict import Verdict, verdict_on_numbers
from proofbook.maths.verify import Verifier
from proofbook.model.page import Page
from proofbook.model.problem import Problem

ReadRun = Callable[[str, str], SymbolValues]
"""What a run says of symbols, from its code and its output: see `read_run`."""


class CodeAndOutput(Protocol):
    """What is read of a run: its code and what it printed."""

    code: str
    output: str


def wrong_equality(page: Page, verdict: Verdict) -> Problem:
    """An equality whose sides differ, as a problem of its page."""
    return page.problem(
        line_of(page, verdict.equality),
        "the two sides of the equation differ",
        verdict.expected,
        str(verdict.equality),
        "correct the equation, in both languages",
    )


def line_of(page: Page, equality: Equality) -> int:
    """The line of the page on which an equality begins."""
    return page.text.count("\n", 0, equality.place) + 1


def verdicts(
    page: Page, runs: Sequence[CodeAndOutput] = (), read: ReadRun = read_run
) -> tuple[Verdict, ...]:
    """Every equality of a page, judged.

    `runs`: those of the references of the page, in order; `read`: what reads one of them. Pages in
    several languages show the same runs, so that a book gives one that remembers.
    """
    found = list(equalities(page))
    if all(equality.computed for equality in found):
        return tuple(map(verdict_on_numbers, found))
    values = [read(run.code, run.output) for run in runs]
    verifier = Verifier(page, found, values)
    judged = [verifier.verdict(equality) for equality in found]
    # A definition whose consequences were computed is checked by them.
    places = frozenset().union(*(one.used for one in judged if one.state == "proved"))
    return tuple(
        replace(one, state="proved")
        if one.state == "open" and one.equality.place in places
        else one
        for one in judged
    )
