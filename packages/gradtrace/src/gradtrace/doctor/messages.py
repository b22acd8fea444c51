"""What PyTorch itself says: the error that ended the script, with its line, and warnings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gradtrace.doctor.finding import Finding, Place, kind_of_message
from gradtrace.doctor.known_messages import find
from gradtrace.doctor.run import Pass, Run
from gradtrace.graph.cuts import Cut, cut_at, last_cuts
from gradtrace.trace import Event

Facts = dict[str, object]

_VIEWS = {
    *("detach", "getitem", "view", "view_as", "reshape", "flatten", "t", "transpose", "permute"),
    *("squeeze", "unsqueeze", "expand", "select", "narrow", "chunk", "split", "unbind", "diagonal"),
}
"""Operations whose results share the memory and the version counter of their input."""


def warned(run: Run) -> Iterator[Finding]:
    """The warnings about gradients, each line once."""
    seen = set()
    for sign in run.signs("warning"):
        kind, place = kind_of_message(sign["text"]), run.place(sign)
        # A GradScaler may skip its first steps, which PyTorch takes for the wrong order.
        if kind == "schedule-before-step" and run.signs("scale"):
            continue
        facts: Facts = {"message": sign["text"].split(". ")[0].rstrip(".")}
        names = [name for t in sign["ts"] for name in run.computed_from(t)]
        if kind == "grad-of-non-leaf" and names:
            kind, facts["names"] = "grad-of-parametrized", names
        if kind and (kind, place) not in seen:
            seen.add((kind, place))
            yield Finding(kind, place, facts)


def failure(run: Run) -> Iterator[Finding]:
    """The error that ended the script."""
    if run.failure is None:
        return
    message, place, number = run.failure
    facts: Facts = {"message": _first_sentence(message)}
    in_pass = run.pass_number.get(number)
    explained = (each for pattern, each in _EXPLAINED.items() if re.search(pattern, message))
    if in_pass is not None and (explain := next(explained, None)):
        kind = explain(run, in_pass, message, facts)
    elif "NoneType" in message and ".grad" in run.line_text(place):
        kind = _no_grad(run, run.line_text(place), facts)
    else:
        kind = kind_of_message(message) or _known(message, facts)
    if kind == "graph-is-cut" and "backward" not in run.line_text(place):
        place = facts["cut"]  # a framework calls it, from a line that is of no help
    yield Finding(kind, place, facts)


def _known(message: str, facts: Facts) -> str:
    """A message that no check explains, but the book does."""
    if (known := find(message)) is None:
        return "script-failed"
    facts |= {"name": known.name} | {f"cause_{code}": text for code, text in known.cause.items()}
    return "known-message"


def _no_grad(run: Run, line: str, facts: Facts) -> str:
    """`.grad` is None: was the leaf of this name replaced by a tensor that was computed?"""
    named = re.search(r"([\w.]+)\.grad\b", line)
    tensors = run.trace.tensors
    same = [t for t, each in tensors.items() if named and named[1] in each.get("names", ())]
    made = run.maker(same[-1]) if same else None
    leaves = [t for t in same if tensors[t]["leaf"] and tensors[t]["rg"]]
    if made is None or not leaves or tensors[same[-1]]["leaf"]:
        return "grad-is-none"
    facts |= {"name": named[1], "made": run.place(made), "source": run.source(made)}
    return "leaf-replaced"


def _twice(run: Run, failed: Pass, message: str, facts: Facts) -> str:
    """A node should run again: which pass freed its saved tensors?"""
    if (node := _failed_node(failed)) is None:
        return "backward-twice"
    facts["node"] = run.trace.nodes[node]["op"]
    if (made := run.op_of(node)) is not None:
        facts["made"] = run.place(made)
    earlier = (each for each in run.passes if each.begin < failed.begin and node in each.ran)
    if (freed := next((e for e in earlier if not e.event["retain"]), None)) is None:
        return "backward-twice"
    facts["freed"] = run.place(freed.event)
    if (carried := _carried_over(run, failed, freed.begin)) is None:
        return "backward-twice"
    facts |= {"tensor": run.name(carried), "made": run.place(run.maker(carried, freed.begin))}
    return "carried-over"


def _carried_over(run: Run, failed: Pass, since: int) -> str | None:
    """A tensor from before an event that an operation after it used, on the path of a pass."""
    for event in failed.nodes:
        call = run.trace.nodes[event["n"]].get("call", -1)
        if call < since:
            continue
        for tensor in run.events[call]["ins"]:
            made = run.index.makers.get(tensor)
            if made and made[0] < since and run.trace.tensors[tensor].get("n"):
                return tensor
    return None


def _edited(run: Run, failed: Pass, message: str, facts: Facts) -> str:
    """A saved tensor of a node was changed in place: which line did it?"""
    shape = re.search(r"\[torch\.\w+ \[([\d, ]*)\]\]", message)
    sizes = sorted(int(size) for size in shape[1].split(",") if size.strip()) if shape else None
    node = _failed_node(failed)
    if node is None or (made := run.op_of(node)) is None:
        return _edited_somewhere(run, failed, sizes, facts)
    facts["node"] = run.trace.nodes[node]["op"]
    facts["made"], facts["source"] = run.place(made), run.source(made)
    since = run.trace.nodes[node]["call"]
    if (culprit := _editor(run, node, sizes, since, failed.begin)) is None:
        return "edited-in-place"
    facts["culprit"] = run.place(culprit)
    if culprit["k"] == "step":
        facts["optimizer"] = culprit["opt"]
        return "stepped-before-backward"
    facts["edit"] = run.source(culprit)
    return "edited-in-place"


def _edited_somewhere(run: Run, failed: Pass, sizes: list[int] | None, facts: Facts) -> str:
    """What computed the node that failed is not known: what was the last change of a tensor of
    these sizes?"""
    tensors = run.trace.tensors
    alike = {t for t, each in tensors.items() if sorted(each["shape"]) == sizes}
    if (culprit := _last_change(run.events[: failed.begin], alike)) is None:
        return "edited-in-place"
    facts["culprit"] = run.place(culprit)
    if culprit["k"] == "op":
        facts["edited"] = run.source(culprit)
        return "edited-in-place"
    facts["optimizer"] = culprit["opt"]
    facts["names"] = run.names(row["t"] for row in culprit["params"] if row["t"] in alike)
    at = next(i for i, event in enumerate(run.events) if event is culprit)
    if (carried := _carried_over(run, failed, at)) is not None:
        facts |= {"tensor": run.name(carried), "before": run.place(run.maker(carried, at))}
    return "stepped-before-backward"


def _editor(run: Run, node: str, sizes: list[int] | None, since: int, end: int) -> Event | None:
    """The last event that changed an input or output of the operation of a node."""
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
    """The tensors, their views and `detach()`ed copies, and the tensors that they are views of."""
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


def _no_graph(run: Run, failed: Pass, message: str, facts: Facts) -> str:
    """The loss has no graph: at which operation was it lost?"""
    root = next((t for t in failed.event["roots"] if t), "")
    known = root in run.index.makers or run.trace.tensors.get(root, {}).get("names")
    facts["loss"] = run.name(root) if known else "loss"
    if (constant := _constant_gradient(run, failed)) is not None:
        tensor, given = constant
        facts |= {"name": run.name(tensor), "made": run.place(given.event)}
        return "gradient-without-graph"
    cuts = run.cuts_of(failed) or _cut_unseen(run, failed, facts)
    if not cuts:
        parameters = [each for each in run.trace.tensors.values() if each.get("param")]
        if parameters and not any(each["rg"] for each in parameters):
            facts["parameters"] = len(parameters)
        return "nothing-requires-grad"
    cut = max(cuts.values(), key=lambda pair: pair[0])[1]
    facts |= {
        "cut": Place(cut.line, cut.file),
        ("off" if cut.how == "no_grad" else "source"): cut.source or cut.op,
    }
    return "graph-is-cut"


def _cut_unseen(run: Run, failed: Pass, facts: Facts) -> dict[str, tuple[int, Cut]]:
    """The same where a framework calls `backward()`, whose own operations aren't recorded: the last
    cut from which a number came that the loss equals."""
    root, tensors = failed.event["roots"][0], run.trace.tensors
    value = tensors[root].get("value") if root and run.maker(root) is None else None
    for place in sorted(run.cut_places, reverse=True) if value else ():
        event = run.events[place]
        if place < failed.begin and event["out"][0].get("value") == value:
            facts["loss"] = run.name(event["ins"][0])
            return {event["ins"][0]: (place, cut_at(event))}
    return {}


def _constant_gradient(run: Run, failed: Pass) -> tuple[str, Pass] | None:
    """The tensor without a graph that an earlier `grad()` returned, at which a pass began: no
    operation made it, and it has the shape of the input of that `grad()`."""
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


_EXPLAINED: dict[str, Callable[[Run, Pass, str, Facts], str]] = {
    r"backward through the graph a second time": _twice,
    r"modified by an inplace operation": _edited,
    r"does not require grad and does not have a grad_fn": _no_graph,
}
"""What adds to the facts of an error of a backward pass, and returns its kind, by its message."""
CHECKS = failure, warned
