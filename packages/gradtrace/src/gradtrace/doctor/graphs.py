"""Graphs that grow from pass to pass or are retained for nothing; hooks that changed a gradient, or
that were never called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Pass, Run
from gradtrace.graph.cuts import fractions, holds
from gradtrace.trace import Event, Value
from gradtrace.values import norm

_ENOUGH = 3
"""The number of passes from one line that shows whether its graph grows."""
_SUMS = {"add", "radd", "iadd", "sub", "rsub", "isub"}
_SCALINGS = {"mul", "rmul", "div", "rdiv", "truediv", "rtruediv"}
_CRITERIA = {
    *("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
    *("binary_cross_entropy", "binary_cross_entropy_with_logits"),
}
"""Losses that compare a prediction with a target."""
_BACKWARD = {"tensor", "post_accumulate", "multi_grad", "full_backward", "full_backward_pre"}


def graph_grows(run: Run) -> Iterator[Finding]:
    """Each pass of a line runs through the graph of all passes before it, and further."""
    for passes in _by_line(run).values():
        sizes = [len(each.nodes) for each in passes]
        again = [_shares(a, b) for a, b in pairwise(passes)]
        grows = all(a < b for a, b in pairwise(sizes))
        if len(passes) >= _ENOUGH and grows and all(again):
            facts = {"first": sizes[0], "last": sizes[-1], "passes": len(passes)}
            yield Finding("graph-grows", run.place(passes[0].event), facts)


def retained_for_nothing(run: Run) -> Iterator[Finding]:
    """`retain_graph=True` in each pass of a line, and nothing runs through these graphs again."""
    for passes in _by_line(run).values():
        kept = [p for p in passes if p.event["retain"] and not p.event["create"] and not p.failed]
        later = [[q for q in run.passes if q.begin > p.begin] for p in kept]
        used = any(_shares(p, q) for p, after in zip(kept, later, strict=True) for q in after)
        if len(kept) >= _ENOUGH and len(kept) == len(passes) and not used:
            facts = {"passes": len(kept)}
            yield Finding("retained-for-nothing", run.place(kept[0].event), facts)


def running_loss(run: Run) -> Iterator[Finding]:
    """A running sum of losses retains the graphs of all of them, though no pass begins at it."""
    chains: dict[tuple, list[dict]] = defaultdict(list)
    for _, event in run.all("op"):
        nodes = [out["n"] for out in event["out"] if "n" in out]
        if event["op"].strip("_") in ("add", "iadd", "radd") and nodes:
            chains[run.place(event)].append(event)
    for place, events in chains.items():
        first = next(
            (n for n, pair in enumerate(pairwise(events), 1) if not _continues(*pair)), None
        )
        events = events[:first]  # a sum of one epoch
        nodes = {out["n"] for event in events for out in event["out"] if "n" in out}
        if len(events) < _ENOUGH or nodes & run.pass_of_node.keys():
            continue
        if all(_adds_a_loss(run, event) for event in events[1:]):
            total = events[-1]["out"][0]["t"]
            facts = {"name": run.name(total), "times": len(events)}
            yield Finding("running-loss", place, facts)


def untied(run: Run) -> Iterator[Finding]:
    """`to_empty()` made several parameters of one that had several names."""
    for sign in run.signs("untied"):
        for names in sign["names"]:
            yield Finding("untied", run.place(sign), {"names": names})


def constant_penalty(run: Run) -> Iterator[Finding]:
    """A number that was computed from the result of a `grad()` alone is added to a loss: without
    `create_graph=True` it is a constant."""
    for given in run.passes:
        if given.writes or given.event["create"] or given.failed:
            continue
        end = next((each.begin for each in run.passes if each.begin > given.begin), len(run.events))
        constants: set[str] = set()
        for event in run.events[given.end : end]:
            if event["k"] != "op":
                continue
            constants |= {t for t in event["ins"] if _is_result(run, t, given)}
            used = [t for t in event["ins"] if t in constants]
            numbers = not any(run.trace.tensors[t]["shape"] for t in event["ins"])
            if used and all("n" not in out for out in event["out"]):
                constants |= {out["t"] for out in event["out"]}
            elif used and numbers and event["op"].strip("_") in _SUMS:
                facts = {"name": run.name(used[0]), "made": run.place(given.event)}
                yield Finding("constant-penalty", run.place(event), facts)
                return


def term_without_graph(run: Run) -> Iterator[Finding]:
    """A number that is added to a loss was computed from what learns, and has no graph. That may be
    meant, but not where no other term compares anything with a target."""
    seen = set()
    for each in run.passes:
        if not each.writes or not each.whole or run.place(each.event) in seen:
            continue
        seen.add(run.place(each.event))
        made = [run.op_of(event["n"]) for event in each.nodes]
        compares = any(event["op"] in _CRITERIA for event in made if event)
        for added, name, cut, ops in _terms(run, each):
            facts = {"name": name, "source": run.source(cut), "cut": run.place(cut)}
            mild = compares or not ops & _CRITERIA
            yield Finding("term-without-graph", run.place(added), facts, mild=mild)


def _terms(run: Run, each: Pass) -> Iterator[tuple[Event, str, Event, set[str]]]:
    """The terms of a loss that were cut: the sum, the name of the term, the operation that cut it,
    and the operations that computed it."""
    tensors, waiting = run.trace.tensors, [t for t in each.event["roots"] if t]
    reads = [event for event in run.events[: each.begin] if event["k"] == "read"]
    for tensor in waiting:  # the list grows
        made = run.maker(tensor, each.begin)
        if made is None or made["op"].strip("_") not in _SUMS | _SCALINGS:
            continue
        waiting += [t for t in made["ins"] if "n" in tensors[t] and t != tensor]
        if made["op"].strip("_") in _SCALINGS:
            continue
        for term in made["ins"]:
            constant = "n" not in tensors[term] and not tensors[term]["shape"]
            if constant and (found := _cut_behind(run, term, each.begin)) is not None:
                yield made, run.name(term), *found
        numbers = [*fractions(made["args"])]
        if read := next((e for e in reversed(reads) if holds(numbers, e["got"])), None):
            computed = run.maker(read["t"], each.begin)
            yield made, run.source(read), read, {computed["op"]} if computed else set()


def _cut_behind(run: Run, term: str, before: int) -> tuple[Event, set[str]] | None:
    """The operation that took a number out of the graph, and the operations after it."""
    waiting, ops, used_at = [term], set(), {}
    for tensor in waiting:  # the list grows
        places = [place for place in run.index.makers.get(tensor, ()) if place < before]
        if not places and not run.trace.tensors[tensor].get("names") and tensor in used_at:
            # Made inside of a library, from what was computed earlier on the line.
            places = [p for p in run.cut_places if run.place(run.events[p]) == used_at[tensor]]
        if places:
            event = run.events[max(places)]
            if max(places) in run.cut_places:
                return event, ops | {event["op"]}
            ops.add(event["op"])
            used_at |= dict.fromkeys(event["ins"], run.place(event))
            waiting += [t for t in event["ins"] if t not in waiting]
    return None


def loss_is_leaf(run: Run) -> Iterator[Finding]:
    """A pass begins at a leaf that is not a parameter: nothing else gets a gradient."""
    seen = set()
    for each in run.passes:
        place = run.place(each.event)
        for root in each.event["roots"]:
            entry = run.trace.tensors.get(root)
            if not entry or not each.writes or place in seen or run.is_held(root):
                continue
            if entry["leaf"] and entry["rg"] and not entry["shape"]:
                seen.add(place)
                facts = {"loss": run.name(root)}
                yield Finding("loss-is-leaf", place, facts, mild=not run.optimizes)


def _is_result(run: Run, tensor: str, given: Pass) -> bool:
    """Whether a tensor may be what a `grad()` returned: no operation made it, none used it before,
    and it has the shape of an input of that `grad()`."""
    entry, inputs = run.trace.tensors[tensor], given.event.get("inputs", ())
    return (
        tensor not in run.index.makers
        and not entry["rg"]
        and min(run.index.users[tensor]) > given.end
        and any(entry["shape"] == run.trace.tensors[t]["shape"] for t in inputs)
    )


def _by_line(run: Run) -> dict[tuple, list[Pass]]:
    """The passes of each line that write `.grad` and were recorded whole."""
    found: dict[tuple, list[Pass]] = defaultdict(list)
    for each in run.passes:
        if each.writes and each.whole:
            found[run.place(each.event)].append(each)
    return found


def _shares(first: Pass, second: Pass) -> bool:
    """Whether a pass runs through a part of another pass's graph; leaves don't count."""
    ran = {event["n"] for event in first.nodes}
    return any(event["n"] in ran for event in second.nodes)


def _continues(first: dict, second: dict) -> bool:
    return bool({out["t"] for out in first["out"]} & set(second["ins"]))


def _adds_a_loss(run: Run, event: dict) -> bool:
    """Whether a pass began at one of the numbers that are added, or ran through it."""
    if run.trace.tensors[event["out"][0]["t"]]["shape"]:
        return False
    scaled = [run.maker(t) for t in event["ins"]]  # `loss * len(x)`
    factors = [t for made in scaled if made and made["op"] in _SCALINGS for t in made["ins"]]
    made = {run.trace.tensors[t].get("n") for t in (*event["ins"], *factors)}
    return bool(made & run.pass_of_node.keys())


def hook_never_called(run: Run) -> Iterator[Finding]:
    """A backward hook was registered, a pass ran, and the hook was not called.

    A script that removes hooks may have removed it: then it is only a note.
    """
    called = {_key(event) for _, event in run.all("hook")}
    # If one line registers several, the others may wait for a later pass.
    alive = {run.place(event) for _, event in run.all("reg") if _key(event) in called}
    failed = any(True for _ in run.all("error"))
    removes = any(".remove()" in text for text in (run.trace.source, *run.trace.sources.values()))
    seen = set(alive)
    for index, event in run.all("reg"):
        place = run.place(event)
        if event["hook"] not in _BACKWARD or place in seen or _may_wait(run, event):
            continue
        later = [p for p in run.passes if p.begin > index and p.writes and p.whole and not p.failed]
        if later:
            seen.add(place)
            on = event["on"] if isinstance(event["on"], list) else [event["on"]]
            names = [run.name(each) if each in run.trace.tensors else each for each in on]
            facts = {"fn": event["fn"], "hook": event["hook"], "names": names}
            facts["passes"] = len(later)
            yield Finding("hook-never-called", place, facts, mild=removes or failed)


def hook_changed(run: Run) -> Iterator[Finding]:
    """What a hook returned in place of a gradient: on all tensors that it was registered on."""
    changes: dict[tuple, list[tuple[str, float, float]]] = defaultdict(list)
    for _, event in run.all("hook"):
        if event["hook"] in ("tensor", "full_backward", "full_backward_pre") and "ret" in event:
            pairs = zip(_values(event["got"]), _values(event["ret"]), strict=False)
            for got, ret in pairs:
                if got != ret and norm(got) is not None and norm(ret) is not None:
                    on = event["on"] if isinstance(event["on"], str) else event["on"][0]
                    name = run.name(on) if on in run.trace.tensors else on
                    changes[event["fn"], run.place(event)].append((name, norm(got), norm(ret)))
                    break
    for (fn, place), changed in changes.items():
        _, before, after = changed[0]
        names = list(dict.fromkeys(name for name, _, _ in changed))
        facts = {"fn": fn, "names": names, "times": len(changed), "before": before, "after": after}
        yield Finding("hook-changed", place, facts)


def _key(event: dict) -> tuple:
    """What identifies a hook; a module may get its name only after its hooks."""
    on = "" if event["hook"].startswith("full_") else str(event["on"])
    return event["hook"], on, event.get("fn")


def _may_wait(run: Run, event: dict) -> bool:
    """Whether there is a good reason why a hook isn't called: its module ran but may have failed,
    no called module has such a name, or PyTorch rejects the hook, as it does a post-accumulate hook
    on a non-leaf."""
    if event["hook"].startswith("full_"):
        paths = {call["path"] for call in run.trace.calls.values()}
        root = event["on"].partition(".")[0]
        return event["on"] in paths or root not in {path.partition(".")[0] for path in paths}
    return event["hook"] == "post_accumulate" and not run.trace.tensors[event["on"]]["leaf"]


def _values(nested: object) -> list[Value]:
    """The values in nested lists."""
    if isinstance(nested, dict):
        return [nested]
    if isinstance(nested, list):
        return [value for part in nested for value in _values(part)]
    return []


CHECKS = (
    loss_is_leaf,
    graph_grows,
    running_loss,
    constant_penalty,
    term_without_graph,
    untied,
    retained_for_nothing,
    hook_never_called,
    hook_changed,
)
