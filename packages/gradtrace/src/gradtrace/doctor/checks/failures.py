"""Why the script failed: what its error means, and which line brought it about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from gradtrace.doctor.finding import Finding, Place
from gradtrace.doctor.run import Pass, Run
from gradtrace.graph.cuts import cut_at, last_cuts
from gradtrace.graph.index import TraceIndex
from gradtrace.trace import Event

_MESSAGES = {
    r"can be implicitly created only for scalar outputs": "not-a-scalar",
    r"Expected f\(\*args\) to return a scalar|should contain a single element": "not-a-scalar",
    r"Mismatch in shape: grad_output": "wrong-seed-shape",
    r"leaf Variable that requires grad (is being|has been) used in an in-place": "leaf-edited",
    r"is a view and is being modified inplace|no_grad mode and is being modified": "view-edited",
    r"can only change requires_grad flags of leaf": "flag-on-non-leaf",
    r"appears to not have been used in the graph": "not-in-graph",
    r"nference tensors? (cannot be saved|outside InferenceMode)": "inference-tensor",
    r"can't optimize a non-leaf Tensor": "non-leaf-optimized",
    r"optimizer got an empty parameter list": "nothing-to-optimize",
    r"parameters appear in more than one parameter group": "parameter-twice",
    r"missing 1 required positional argument: 'closure'": "closure-missing",
    r"hook returned|hook .*has (changed|returned)|hook returned an invalid|hooks should return": (
        "wrong-hook-return"
    ),
    r"Can't call numpy\(\) on Tensor that requires grad": "numpy-of-graph",
    r"support the deepcopy protocol": "copy-of-graph",
    r"attempting to assign a gradient|assigned grad expected": "wrong-grad-assigned",
    r"[Oo]nly Tensors of floating point .*can require gradients": "integers-need-no-grad",
    r"Expected more than 1 value per channel when training": "batch-of-one",
    r"(step|unscale_)\(\) (has already been|is being) called|_scale is None|No inf checks": (
        "scaler-out-of-order"
    ),
    r"Attempting to unscale FP16 gradients": "half-gradients",
    r"returned an (incorrect number of gradients|invalid gradient)": "function-wrong-return",
    r"hooks? (cannot be registered|on a tensor that doesn't)|can't retain_grad on Tensor": (
        "hook-refused"
    ),
    r"loaded state dict (has a different|contains a parameter group)": "resumed-otherwise",
    r"object has no attribute 'backward'": "loss-is-no-tensor",
    r"must have the same dtype|expected scalar type|Found dtype \w+ but expected": "dtypes-differ",
    r"shapes cannot be multiplied|must match the size of tensor|size mismatch": "shapes-differ",
}
"""What tells an error: a part of its message, and the kind of the finding."""
_VIEWS = {
    *("detach", "getitem", "view", "view_as", "reshape", "flatten", "t", "transpose", "permute"),
    *("squeeze", "unsqueeze", "expand", "select", "narrow", "chunk", "split", "unbind", "diagonal"),
}
"""Operations whose results share the memory of their input, and its count of changes."""


def failure(run: Run) -> Iterator[Finding]:
    """The error that ended the script."""
    if run.failure is None:
        return
    message, place, number = run.failure
    in_pass = run.pass_number.get(number)
    for pattern, explain in _EXPLAINED.items():
        if in_pass is not None and re.search(pattern, message):
            yield explain(run, in_pass, message, place)
            return
    facts = {"message": _first_sentence(message)}
    if "NoneType" in message and ".grad" in run.line_text(place):
        yield _no_grad(run, facts, place)
        return
    found = (kind for pattern, kind in _MESSAGES.items() if re.search(pattern, message))
    yield Finding(next(found, "script-failed"), place, facts)


def _no_grad(run: Run, facts: dict[str, object], place: Place) -> Finding:
    """`.grad` is None: was the leaf of this name replaced by a tensor that was computed?"""
    named = re.search(r"([\w.]+)\.grad\b", run.line_text(place))
    tensors = run.trace.tensors
    same = [t for t, each in tensors.items() if named and named[1] in each.get("names", ())]
    made = run.maker(same[-1]) if same else None
    replaced = made is not None and any(tensors[t]["leaf"] and tensors[t]["rg"] for t in same)
    if replaced and not tensors[same[-1]]["leaf"]:
        facts |= {"name": named[1], "made": run.place(made), "source": run.source(made)}
        return Finding("leaf-replaced", place, facts)
    return Finding("grad-is-none", place, facts)


def _twice(run: Run, failed: Pass, message: str, place: Place) -> Finding:
    """A node is to run again: which pass freed what it had saved?"""
    facts: dict[str, object] = {"message": _first_sentence(message)}
    if (node := _failed_node(failed)) is None:
        return Finding("backward-twice", place, facts)
    facts["node"] = run.trace.nodes[node]["op"]
    if (made := run.op_of(node)) is not None:
        facts["made"] = run.place(made)
    earlier = (each for each in run.passes if each.begin < failed.begin and node in each.ran)
    if (freed := next((e for e in earlier if not e.event["retain"]), None)) is None:
        return Finding("backward-twice", place, facts)
    facts["freed"] = run.place(freed.event)
    if (carried := _carried_over(run, failed, freed)) is None:
        return Finding("backward-twice", place, facts)
    facts |= {"tensor": run.name(carried), "made": run.place(run.maker(carried, freed.begin))}
    return Finding("carried-over", place, facts)


def _carried_over(run: Run, failed: Pass, freed: Pass) -> str | None:
    """A tensor from before a pass that an operation after it used, on the way of another pass."""
    for event in failed.nodes:
        call = run.trace.nodes[event["n"]].get("call", -1)
        if call < freed.begin:
            continue
        for tensor in run.events[call]["ins"]:
            made = run.index.makers.get(tensor)
            if made and made[0] < freed.begin and run.trace.tensors[tensor].get("n"):
                return tensor
    return None


def _edited(run: Run, failed: Pass, message: str, place: Place) -> Finding:
    """What a node had saved was changed: which line did it?"""
    facts: dict[str, object] = {"message": _first_sentence(message)}
    if (node := _failed_node(failed)) is None:
        return Finding("edited-in-place", place, facts)
    facts["node"] = run.trace.nodes[node]["op"]
    if (made := run.op_of(node)) is not None:
        facts["made"], facts["source"] = run.place(made), run.source(made)
    shape = re.search(r"\[torch\.\w+ \[([\d, ]*)\]\]", message)
    sizes = sorted(int(size) for size in shape[1].split(",") if size.strip()) if shape else None
    since = run.trace.nodes[node].get("call", failed.begin)
    culprit = _editor(run, node, sizes, since, failed.begin)
    if culprit is None:
        return Finding("edited-in-place", place, facts)
    facts["culprit"] = run.place(culprit)
    if culprit["k"] == "step":
        facts["optimizer"] = culprit["opt"]
        return Finding("stepped-before-backward", place, facts)
    facts["edit"] = run.source(culprit)
    return Finding("edited-in-place", place, facts)


def _editor(run: Run, node: str, sizes: list[int] | None, since: int, end: int) -> Event | None:
    """The last event that changed a tensor which the operation of a node got or gave."""
    tensors = set(run.trace.nodes[node].get("out", {}).values())
    waiting = [edge[0] for edge in run.trace.nodes[node]["next"] if edge]
    for key in waiting:  # a weight is saved transposed: its leaf is one node further
        entry = run.trace.nodes[key]
        tensors |= {entry.get("leaf", ""), *entry.get("out", {}).values()}
        if entry["op"] in ("TBackward0", "TransposeBackward0", "ExpandBackward0", "ViewBackward0"):
            waiting += [edge[0] for edge in entry["next"] if edge]
    if (made := run.op_of(node)) is not None:
        tensors |= {*made["ins"], *(out["t"] for out in made["out"])}
    shapes = {t: run.trace.tensors[t]["shape"] for t in tensors if t in run.trace.tensors}
    tensors = {t for t in shapes if sizes is None or sorted(shapes[t]) == sizes}
    events = run.events[since + 1 : end]
    return _last_change(events, tensors) or _last_change(events, _in_same_memory(run, tensors))


def _last_change(events: list[Event], tensors: set[str]) -> Event | None:
    for event in reversed(events):
        if event["k"] == "op" and any(
            out["t"] in tensors and out.get("inplace") for out in event["out"]
        ):
            return event
        if event["k"] == "step" and any(row["t"] in tensors for row in event["params"]):
            return event
    return None


def _in_same_memory(run: Run, tensors: set[str]) -> set[str]:
    """The tensors with those that views and `detach()` made of them, or that they are views of."""
    pairs = [
        {event["ins"][0], *(out["t"] for out in event["out"])}
        for _, event in run.all("op")
        if event["op"] in _VIEWS and event["ins"]
    ]
    found, before = set(tensors), 0
    while len(found) > before:
        before = len(found)
        found |= set().union(*(pair for pair in pairs if pair & found))
    return found


def _no_graph(run: Run, failed: Pass, message: str, place: Place) -> Finding:
    """The loss has no graph: at which operation was it lost?"""
    facts: dict[str, object] = {"message": _first_sentence(message)}
    root = next((t for t in failed.event["roots"] if t), None)
    facts["loss"] = run.name(root)
    if (constant := _constant_gradient(run, failed)) is not None:
        tensor, given = constant
        facts |= {"name": run.name(tensor), "made": run.place(given.event)}
        return Finding("gradient-without-graph", place, facts)
    before = [event for event in run.events[: failed.begin] if event["k"] in ("op", "read")]
    alone = TraceIndex(replace(run.trace, events=[*before, failed.event]))
    places = [place for place in last_cuts(alone).values() if place is not None]
    if not places:
        return Finding("nothing-requires-grad", place, facts)
    cut = cut_at(alone.event(max(places)))
    facts |= {"cut": Place(cut.line, cut.file), "source": cut.source or cut.op, "how": cut.how}
    return Finding("graph-is-cut", place, facts)


def _constant_gradient(run: Run, failed: Pass) -> tuple[str, Pass] | None:
    """The tensor that an earlier `grad()` gave without a graph, of what a pass began at: made by no
    operation, and of the shape of what that was asked for."""
    tensors = run.trace.tensors
    for given in run.passes:
        if given.writes or given.event["create"] or given.begin > failed.begin:
            continue
        shapes = [tensors[t]["shape"] for t in given.event.get("inputs", ())]
        for tensor in last_cuts(run.index):
            unknown = tensor not in run.index.makers and not tensors[tensor]["rg"]
            used = run.index.users.get(tensor, [-1])[0]
            if unknown and used > given.begin and tensors[tensor]["shape"] in shapes:
                return tensor, given
    return None


def _failed_node(failed: Pass) -> str | None:
    """The node at which a pass ended: it began, and sent nothing on."""
    last = failed.nodes[-1] if failed.nodes else None
    return last["n"] if last is not None and "gout" not in last else None


def _first_sentence(message: str) -> str:
    first = message.strip().split("\n")[0]
    return re.split(r"(?<=[^.]\.) |\. Hint:", first)[0][:200].rstrip(".")


_EXPLAINED: dict[str, Callable[[Run, Pass, str, Place], Finding]] = {
    r"backward through the graph a second time": _twice,
    r"modified by an inplace operation": _edited,
    r"does not require grad and does not have a grad_fn": _no_graph,
}
