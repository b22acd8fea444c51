"""Looks for everything that may be wrong with a run."""

from __future__ import annotations

from gradtrace.doctor.checks import CHECKS
from gradtrace.doctor.finding import Finding
from gradtrace.doctor.kinds import KINDS
from gradtrace.doctor.run import Run
from gradtrace.trace import Trace

_LEVELS = ("error", "warning", "note")


def diagnose(trace: Trace) -> list[Finding]:
    """What is wrong with a run, and what is worth knowing of it: the gravest first.

    More is found in a trace that was recorded with `health=True`.
    """
    run = Run(trace)
    found = [finding for check in CHECKS for finding in check(run)]
    order = {kind: number for number, kind in enumerate(KINDS)}
    return sorted(found, key=lambda each: (_LEVELS.index(each.level), order[each.kind]))
