"""The first `nan` or `inf` that reached the loss, a gradient, or a parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Run, argument
from gradtrace.trace import Event
from gradtrace.values import least_and_greatest, oddity

_FILLING = {"masked_fill", "where", "full", "full_like", "fill", "triu", "tril", "new_full"}
"""Operations that fill a tensor with a given number."""
_GROWTH = 1e6
_ENOUGH_STEPS = 3
"""With fewer steps, each may be skipped while the scale is still falling."""


def first_nan(run: Run) -> Iterator[Finding]:
    """Where the first number that isn't finite comes from.

    Infinities may be meant (a mask of -inf), so only what reaches a loss, a gradient or a parameter
    counts. A GradScaler skips a step whose gradients aren't finite: there the parameters count, and
    the loss before it is multiplied.
    """
    scaled = {sign["at"] for sign in run.signs("scale")}
    # The multiplication of the last pass may not have been recorded.
    scalings = {id(event) for at in scaled for event in run.events[at : at + 1]}
    whole = None
    for index, event in enumerate(run.events):
        found = None
        if event["k"] == "backward":
            whole = run.pass_number[event["p"]].whole
            found = _of_loss(run, index, event, scalings)
        elif event["k"] == "node" and not scaled:
            found = _of_node(run, event)
        elif event["k"] == "acc" and not whole and not scaled:
            found = _of_leaf(run, event)
        elif event["k"] == "step":
            found = _of_step(run, event)
        if found is not None:
            yield found
            return


def steps_skipped(run: Run) -> Iterator[Finding]:
    """A GradScaler skipped steps; a warning if it skipped most of them."""
    if run.skipped:
        steps, skipped = run.signs("scaler_step"), len(run.skipped)
        facts = {"skipped": skipped, "steps": len(steps)}
        for key, scale in (("first", steps[0]["scale"]), ("last", steps[-1]["scale"])):
            facts[key] = int(scale) if scale.is_integer() and scale < 1e9 else scale
        few = len(steps) < _ENOUGH_STEPS or 2 * skipped <= len(steps)
        yield Finding("steps-skipped", run.place(run.skipped[0]), facts, mild=few)


def is_finite(run: Run) -> bool:
    """Whether no loss, gradient or parameter contained nan or inf, and a GradScaler skipped no step
    because of one."""
    tensors, found = run.trace.tensors, []
    for each in run.passes:
        found += [tensors[root].get("value") for root in each.event["roots"] if root]
        found += [*each.event["seed"], *(event.get("after") for event in each.accs)]
    for step in run.steps:
        found += [row.get(key) for row in step.rows for key in ("grad", "before", "after")]
    return not run.skipped and not any(map(oddity, found))


def _of_loss(run: Run, index: int, event: Event, scalings: set[int]) -> Finding | None:
    for root in event["roots"]:
        made = run.maker(root, index) if root else None
        if made is None or _odd_output(made) is None:
            continue
        origin, data = _origin(run, made, index)
        if id(origin) in scalings:
            continue
        if data is not None:
            facts = {"tensor": run.name(data), "what": _odd_input(run, data)}
            return Finding("nan-in-data", run.place(origin), facts)
        facts = {"what": _odd_output(origin), "source": run.source(origin), "op": origin["op"]}
        if _ignores_all(run, origin):
            return Finding("labels-ignored", run.place(origin), facts)
        if _is_masked_row(run, origin):
            return Finding("masked-row", run.place(origin), facts)
        if any(_odd_input(run, t) for t in origin["ins"]):
            facts["of_infinite"] = facts.pop("source")
        facts |= _growth(run, origin, index)
        return Finding("nan-in-forward", run.place(origin), facts)
    return None


def _growth(run: Run, origin: Event, before: int) -> dict[str, object]:
    """How the largest numbers of the same call grew, before one of them was no longer finite."""
    calls = [
        event
        for event in run.events[:before]
        if event["k"] == "op" and event["op"] == origin["op"]
        if run.place(event) == run.place(origin)
    ]
    calls = calls[: next(i for i, event in enumerate(calls) if _odd_output(event))]
    bounds = [least_and_greatest(event["out"][0].get("value")) for event in calls]
    sizes = [max(map(abs, each)) for each in bounds if each]
    if len(sizes) < 3 or not sizes[-1] > _GROWTH * sizes[0] > 0:
        return {}
    return {"calls": len(sizes), "first": sizes[0], "last": sizes[-1]}


def _ignores_all(run: Run, event: Event) -> bool:
    """Whether a loss was computed of labels that are all to be ignored."""
    if event["op"] not in ("cross_entropy", "nll_loss") or len(event["ins"]) < 2:
        return False
    ignored = argument(event, 4, "ignore_index")
    bounds = least_and_greatest(run.trace.tensors[event["ins"][1]].get("value"))
    return bounds is not None and {*bounds} == {-100.0 if ignored is None else float(ignored)}


def _is_masked_row(run: Run, event: Event) -> bool:
    """Whether a softmax gives nan and its inputs hold -inf alone besides numbers: a row of them."""
    if event["op"] not in ("softmax", "log_softmax") or _odd_output(event) != "nan":
        return False
    made = run.maker(event["ins"][0])
    value = made["out"][0].get("value") if made else None
    bounds = least_and_greatest(value or run.trace.tensors[event["ins"][0]].get("value"))
    return bounds is not None and bounds[0] == -math.inf and bounds[1] < math.inf


def _origin(run: Run, made: Event, before: int) -> tuple[Event, str | None]:
    """The operation that computed a non-finite number from finite ones; or, if a tensor of the data
    holds it, that tensor and the first operation that used it."""
    while True:
        at = next(i for i in reversed(range(before)) if run.events[i] is made)
        odd = None
        for tensor in made["ins"]:
            source = run.maker(tensor, at)
            if source is None or not source["ins"]:
                if _odd_input(run, tensor) == "nan":
                    return made, tensor
            elif _odd_output(source) and _computes(source):
                odd = source
        if odd is None:
            return made, None
        made, before = odd, at


def _computes(event: Event) -> bool:
    """Whether an operation computes the non-finite number; a mask of -inf is meant."""
    return event["op"].rstrip("_") not in _FILLING or _odd_output(event) == "nan"


def _of_node(run: Run, event: Event) -> Finding | None:
    if any(map(oddity, event["gin"])):
        return None
    what = next(filter(None, map(oddity, event.get("gout", ()))), None)
    if what is None:
        return None
    entered = run.pass_number[event["p"]]
    if entered.writes and not any(oddity(acc.get("after")) for acc in entered.accs):
        return None
    made = run.op_of(event["n"])
    facts = {"what": what, "node": run.trace.nodes[event["n"]]["op"]}
    facts["source"] = run.source(made) if made else facts["node"]
    facts["pass"] = run.place(entered.event)
    return Finding("nan-in-backward", run.place(made or event), facts)


def _of_leaf(run: Run, event: Event) -> Finding | None:
    """In an outline the node from which it came is not known."""
    if what := next(filter(None, map(oddity, event["gin"])), None):
        given = run.pass_number[event["p"]]
        facts = {"what": what, "tensor": run.name(event["t"]), "pass": event["p"]}
        return Finding("nan-in-outline", run.place(given.event), facts)
    return None


def _of_step(run: Run, event: Event) -> Finding | None:
    for row in event["params"]:
        what = oddity(row.get("after"))
        if what and not oddity(row["before"]):
            facts = {"what": what, "tensor": run.name(row["t"]), "optimizer": event["opt"]}
            return Finding("nan-after-step", run.place(event), facts)
    return None


def _odd_output(event: Event) -> str | None:
    return next(filter(None, (oddity(out.get("value")) for out in event["out"])), None)


def _odd_input(run: Run, tensor: str) -> str | None:
    return oddity(run.trace.tensors[tensor].get("value"))


CHECKS = (
    first_nan,
    steps_skipped,
)
