"""Says in text what is wrong with the gradients of a recorded run, and where.

    run = Run(trace)                        # of a trace recorded with `health=True`
    print(report(run, diagnose(run), "en"))

Works on a trace alone, and does not import torch.

To add a finding: declare its kind in `findings.toml`, and add the function that finds it to the
`CHECKS` of one of these modules; one found by a PyTorch error or warning needs only its `message`.
"""

from __future__ import annotations

from collections.abc import Iterable

from gradtrace.doctor import gradients, graphs, losses, messages, numbers, updates
from gradtrace.doctor.finding import KINDS, LEVELS, Finding, Place
from gradtrace.doctor.report import page_diagnosis, report, report_json
from gradtrace.doctor.run import Run

__all__ = ["KINDS", "Finding", "Place", "Run", "diagnose", "page_diagnosis", "report"]
__all__ += ["report_json"]

_MODULES = messages, numbers, updates, gradients, losses, graphs


def diagnose(run: Run) -> list[Finding]:
    """All findings of a run, the most severe first.

    More is found in a trace that was recorded with `health=True`.
    """
    return in_order(f for module in _MODULES for check in module.CHECKS for f in check(run))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in the order of a report."""
    order = list(KINDS)
    return sorted(findings, key=lambda f: (LEVELS.index(f.level), order.index(f.kind)))
