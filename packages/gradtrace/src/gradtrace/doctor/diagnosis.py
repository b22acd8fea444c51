"""Looks for everything that may be wrong with a run.

To add a finding: declare its `Kind` in one of these modules, and add the function that finds it to
the `CHECKS` of that module; one found by a PyTorch error or warning needs only its `message`.
"""

from __future__ import annotations

from gradtrace.doctor import (
    failures,
    gradients,
    graphs,
    hooks,
    losses,
    numbers,
    torch_warnings,
    updates,
)
from gradtrace.doctor.finding import Finding, Kind
from gradtrace.doctor.run import Run

_MODULES = failures, numbers, updates, gradients, losses, graphs, hooks, torch_warnings
_LEVELS = ("error", "warning", "note")
KINDS = {
    kind.name: kind
    for module in _MODULES
    for kind in vars(module).values()
    if isinstance(kind, Kind)
}
"""All kinds of findings, in the order of a report."""


def diagnose(run: Run) -> list[Finding]:
    """All findings of a run, the most severe first.

    More is found in a trace that was recorded with `health=True`.
    """
    found = [finding for module in _MODULES for check in module.CHECKS for finding in check(run)]
    order = list(KINDS)
    return sorted(found, key=lambda f: (_LEVELS.index(f.level), order.index(f.kind.name)))
