"""Losses whose inputs have the wrong form, and modules left in evaluation mode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Run, argument
from gradtrace.trace import Event
from gradtrace.values import least_and_greatest

_SAME_SHAPE = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
_WITH_MODES = ("Dropout", "BatchNorm")
_OF_CLASSES = {"nll_loss", "kl_div", "mse_loss", "binary_cross_entropy", "l1_loss"}
"""Losses that may be given what a softmax returns, or its logarithm."""
_RESHAPING = {"squeeze", "unsqueeze", "view", "reshape", "flatten"}
_FEW = 2
"""This many training steps in evaluation mode, after others, are a mistake; so are more, if there
were no others."""


def activation_before_loss(run: Run) -> Iterator[Finding]:
    """A loss that takes logits gets probabilities, or one that takes log-probabilities doesn't."""
    seen = set()
    for index, event in run.all("op"):
        place = run.place(event)
        if not event["ins"] or (place, event["op"]) in seen:
            continue
        made = _made(run, event["ins"][0], index)
        source = made["op"] if made else ""
        kind = None
        if event["op"] == "cross_entropy" and source in ("softmax", "sigmoid"):
            kind = "softmax-before-loss"
        elif event["op"] == "binary_cross_entropy_with_logits" and source in ("sigmoid", "softmax"):
            kind = "sigmoid-before-loss"
        elif event["op"] in ("nll_loss", "kl_div") and _has_positive(run, event["ins"][0], made):
            kind = "no-log-before-nll"
        elif event["op"] in _OF_CLASSES and _is_over_batch(run, made):
            kind = "softmax-over-batch"
        if kind:
            seen.add((place, event["op"]))
            facts = {"loss": event["op"], "activation": source}
            facts["made"] = run.place(made)
            yield Finding(kind, place, facts)


def target_broadcast(run: Run) -> Iterator[Finding]:
    """Prediction and target differ in shape: each is compared with every other."""
    seen = set()
    for _, event in run.all("op"):
        if len(event["ins"]) < 2 or not (event["op"] in _SAME_SHAPE or _is_error(run, event)):
            continue
        shapes = [run.trace.tensors[t]["shape"] for t in event["ins"][:2]]
        if shapes[0] != shapes[1] and run.place(event) not in seen:
            seen.add(run.place(event))
            facts = {"input": str(tuple(shapes[0])), "target": str(tuple(shapes[1]))}
            loss = event["op"] if event["op"] in _SAME_SHAPE else run.source(event)
            yield Finding("target-broadcast", run.place(event), facts | {"loss": loss})


def eval_left_on(run: Run) -> Iterator[Finding]:
    """Dropout or BatchNorm ran in training mode in the first steps, and in no later one."""
    last_step = run.steps[-1].at if run.steps else -1
    trained = {node for each in run.passes if each.writes for node in each.ran}
    learning = {
        _outermost(run, event["within"])
        for index, event in run.all("op")
        if index < last_step and any(out.get("n") in trained for out in event["out"])
        if "within" in event
    }
    calls: dict[str, list[dict]] = defaultdict(list)
    for key, call in run.trace.calls.items():
        if call["kind"].startswith(_WITH_MODES) and _outermost(run, key) in learning:
            calls[call["path"]].append(call)
    for path, found in calls.items():
        flags = ["eval" in call for call in found]
        switch = flags.index(True) if True in flags else 0
        if switch and all(flags[switch:]) and len(flags) - switch >= _FEW:
            facts = {"module": path, "steps": len(flags) - switch}
            yield Finding("eval-left-on", run.place(found[switch]), facts)
            return
    yield from _never_trained(run, learning)


def _never_trained(run: Run, calls: set[str]) -> Iterator[Finding]:
    """A module whose parameters an optimizer holds, called in evaluation mode in each training
    step, although it has a Dropout or a BatchNorm."""
    with_modes = {
        _outermost(run, key)
        for key, call in run.trace.calls.items()
        if call["kind"].startswith(_WITH_MODES) and call.get("eval")
    }
    paths: dict[str, list[dict]] = defaultdict(list)
    held = {run.trace.tensors[t].get("names", ("",))[0].partition(".")[0] for t in run.optimized}
    for key in sorted(calls & with_modes):
        if (call := run.trace.calls[key]).get("eval") and call["path"].partition(".")[0] in held:
            paths[call["path"]].append(call)
    for path, found in paths.items():
        if len(found) > _FEW:
            facts = {"name": path, "times": len(found)}
            yield Finding("eval-left-on", run.place(found[0]), facts)
            return


def _is_error(run: Run, event: Event) -> bool:
    """Whether a difference is between a column of predictions and a row of as many targets, and is
    squared or made positive next."""
    if event["op"] not in ("sub", "rsub") or "n" not in event["out"][0]:
        return False
    shapes = sorted((run.trace.tensors[t]["shape"] for t in event["ins"]), key=len)
    inputs = [run.trace.tensors[t] for t in event["ins"]]
    uses = run.uses(event["out"][0]["t"])
    return (
        len(shapes[0]) == 1
        and shapes[0][0] > 1
        and shapes[1] == [shapes[0][0], 1]
        and any(not each["rg"] and "n" not in each for each in inputs)
        and bool(uses)
        and uses[0][1]["op"] in ("pow", "square", "abs")
    )


def _is_over_batch(run: Run, made: Event | None) -> bool:
    """Whether a softmax of a matrix adds up to 1 in each column, so over the batch."""
    if made and made["op"] == "log" and made["ins"]:
        made = run.maker(made["ins"][0])
    if made is None or made["op"] not in ("softmax", "log_softmax"):
        return False
    shape = run.trace.tensors[made["ins"][0]]["shape"]
    return len(shape) == 2 and argument(made, 1, "dim") in (0, -2)


def _made(run: Run, tensor: str, before: int) -> Event | None:
    """The operation that made the numbers of a tensor, apart from its shape, before an event."""
    while earlier := [at for at in run.index.makers.get(tensor, ()) if at < before]:
        before = earlier[-1]  # a `flatten` may return the very tensor that it was given
        made = run.events[before]
        if made["op"] not in _RESHAPING:
            return made
        tensor = made["ins"][0]
    return None


def _has_positive(run: Run, tensor: str, made: Event | None) -> bool:
    """Whether some number is above zero, unlike any log-probability."""
    value = made["out"][0].get("value") if made else run.trace.tensors[tensor].get("value")
    bounds = least_and_greatest(value)
    return bounds is not None and bounds[1] > 0


def _outermost(run: Run, call: str) -> str:
    """The outermost module call around another call."""
    while (outer := run.trace.calls[call].get("within")) is not None:
        call = outer
    return call


CHECKS = (
    activation_before_loss,
    target_broadcast,
    eval_left_on,
)
