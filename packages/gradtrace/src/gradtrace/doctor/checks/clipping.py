"""Where gradients are clipped: after the backward pass, before the step, and not while scaled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Run
from gradtrace.trace import Sign
from gradtrace.values import norm

_OFTEN = 3
_HARD = 100.0
"""A factor by which clipping does more than keep rare outliers away."""


def clip_without_gradient(run: Run) -> Iterator[Finding]:
    """Clipping finds no gradient, or only those that a step has used already."""
    for signs in _by_line(run.signs("clip")).values():
        if run.passes and len(signs) >= 2 and all(_is_in_vain(run, sign) for sign in signs):
            passes = (each.event for each in run.passes if each.begin >= signs[0]["at"])
            facts = {"times": len(signs), "pass": run.place(next(passes, None))}
            yield Finding("clip-without-gradient", run.place(signs[0]), facts)


def clip_before_unscale(run: Run) -> Iterator[Finding]:
    """Gradients are clipped while they are still multiplied by the factor of a GradScaler."""
    signs = run.signs("clip", "scale", "unscale", "scaler_step")
    found, scaled = [], False
    clips = []
    for sign in signs:
        if sign["k"] == "clip":
            clips.append(sign)
            if scaled:
                found.append(sign)
        else:
            scaled = sign["k"] == "scale"
    if found and len(found) == len(clips):
        steps = (sign for sign in signs if sign["k"] == "scaler_step")
        facts = {"times": len(found), "step": run.place(next(steps, None))}
        yield Finding("clip-before-unscale", run.place(found[0]), facts)


def clipped_hard(run: Run) -> Iterator[Finding]:
    """Each clipping makes the gradients smaller by a large factor."""
    if run.signs("scale"):  # while gradients are scaled, their size says nothing
        return
    for signs in _by_line(run.signs("clip")).values():
        signs = [sign for sign in signs if not _is_in_vain(run, sign)]
        factors = [factor for sign in signs if (factor := _factor(run, sign)) is not None]
        if len(factors) >= _OFTEN and len(factors) == len(signs) and min(factors) > _HARD:
            facts = {"times": len(factors), "factor": median(factors)}
            yield Finding("clipped-hard", run.place(signs[0]), facts)


def _factor(run: Run, sign: Sign) -> float | None:
    """By how much a clipping made the norm of all gradients smaller; None if it changed nothing."""
    changes = []
    for event in run.events[sign["at"] :]:
        if event["k"] != "grad_set" or run.place(event) != run.place(sign):
            break
        changes.append((norm(event["before"]), norm(event["after"])))
    if any(None in change for change in changes):
        return None
    before, after = (
        (math.hypot(*sizes) for sizes in zip(*changes, strict=True)) if changes else (0, 0)
    )
    return before / after if after else None


def _is_in_vain(run: Run, sign: Sign) -> bool:
    """Whether nothing was added to these gradients since they were last used, or left out."""
    if not sign["total"]:
        return False
    given = set(sign["ts"])
    used = [step.at for step in run.steps if not given or given & step.tensors]
    used += [each["at"] for each in run.skipped]
    since = max((at for at in used if at < sign["at"]), default=-1)
    return not any(since < each.begin < sign["at"] for each in run.passes)


def _by_line(signs: list[Sign]) -> dict[object, list[Sign]]:
    found: dict[object, list[Sign]] = {}
    for sign in signs:
        found.setdefault((sign.get("file"), sign["line"]), []).append(sign)
    return found
