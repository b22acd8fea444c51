"""What a run did as a whole: how many parameters got a gradient, and how large it was by layer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from gradtrace.doctor.checks.numbers import is_finite
from gradtrace.doctor.checks.steps import uses_new_gradients
from gradtrace.doctor.run import Run
from gradtrace.graph.parameters import WITH_GRADIENT
from gradtrace.trace import Trace
from gradtrace.values import norm

MAX_LAYERS = 8
"""So many rows are shown; of more, the first and the last."""


@dataclass(frozen=True)
class Layer:
    """A weight: the median norm of its gradient, and the median of how far a step moved it, as a
    part of its norm."""

    name: str
    gradient: float
    update: float | None


@dataclass(frozen=True)
class Summary:
    """Numbers of a run. `parameters` counts the nn.Parameters that got a gradient, are frozen, or
    are held by an optimizer, and all leaves where there are none and no optimizer;
    `moved`: how many of those that optimizers hold changed in some step; `new_gradients`: whether
    no step used the gradients of the one before; `finite`: whether no loss, gradient or parameter
    held nan or inf."""

    passes: int
    steps: int
    parameters: int
    with_gradient: int
    frozen: int
    held: int
    moved: int
    new_gradients: bool
    finite: bool
    layers: tuple[Layer, ...]


def summarize(trace: Trace) -> Summary:
    """The numbers of a run."""
    run = Run(trace)
    known = [each for each in run.outcomes if trace.tensors[each.tensor].get("param")]
    known = known or [each for each in run.outcomes if each.outcome != "no_pass"]
    if run.optimizes:  # of the others some were put aside, as for a weight that is tied
        known = [
            each
            for each in known
            if each.outcome in (*WITH_GRADIENT, "frozen") or run.is_held(each.tensor)
        ]
    rows = [row for step in run.steps for row in step.rows]
    return Summary(
        passes=len(run.passes),
        steps=len(run.steps),
        parameters=len(known),
        with_gradient=sum(each.outcome in WITH_GRADIENT for each in known),
        frozen=sum(each.outcome == "frozen" for each in known),
        held=len({row["t"] for row in rows}),
        moved=len({r["t"] for r in rows if r.get("moved") or r["before"] != r["after"]}),
        new_gradients=uses_new_gradients(run),
        finite=is_finite(run),
        layers=tuple(_layers(run)),
    )


def _layers(run: Run) -> Iterable[Layer]:
    """Weights of two dimensions or more, in the order in which the script made them."""
    updates: dict[str, list[float]] = {}
    for step in run.steps:
        for row in step.rows:
            if "moved" in row:
                updates.setdefault(row["t"], []).append(row["moved"])
    for t, tensor in run.trace.tensors.items():
        if t in run.gradients and tensor.get("param") and len(tensor["shape"]) > 1:
            sizes = [norm(event["after"]) for _, event in run.gradients[t]]
            sizes = [size for size in sizes if size is not None and math.isfinite(size)]
            if sizes:
                update = median(updates[t]) if t in updates else None
                yield Layer(run.name(t), median(sizes), update)
