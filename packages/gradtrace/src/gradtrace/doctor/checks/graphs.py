"""Graphs that reach back further in each pass, or that are kept in vain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Pass, Run

_ENOUGH = 3
"""So many passes of one line show whether its graph grows."""


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
    """A sum of losses keeps the graphs of all of them, though no pass begins at it."""
    chains: dict[tuple, list[tuple[int, dict]]] = defaultdict(list)
    for index, event in run.all("op"):
        nodes = [out["n"] for out in event["out"] if "n" in out]
        if event["op"].strip("_") in ("add", "iadd", "radd") and nodes:
            chains[run.place(event)].append((index, event))
    for place, events in chains.items():
        links = [_continues(a, b) for (_, a), (_, b) in pairwise(events)]
        nodes = {out["n"] for _, event in events for out in event["out"] if "n" in out}
        if len(events) < _ENOUGH or not all(links) or nodes & run.pass_of_node.keys():
            continue
        if all(_adds_a_loss(run, event) for _, event in events[1:]):
            total = events[-1][1]["out"][0]["t"]
            facts = {"name": run.name(total), "times": len(events)}
            yield Finding("running-loss", place, facts)


def loss_is_leaf(run: Run) -> Iterator[Finding]:
    """A pass begins at a leaf that is no parameter: nothing else gets a gradient."""
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


def _by_line(run: Run) -> dict[tuple, list[Pass]]:
    """The passes of each line that write `.grad`."""
    found: dict[tuple, list[Pass]] = defaultdict(list)
    for each in run.passes:
        if each.writes:
            found[run.place(each.event)].append(each)
    return found


def _shares(first: Pass, second: Pass) -> bool:
    """Whether a pass runs through a part of the graph of another; leaves are no part of it."""
    ran = {event["n"] for event in first.nodes}
    return any(event["n"] in ran for event in second.nodes)


def _continues(first: dict, second: dict) -> bool:
    return bool({out["t"] for out in first["out"]} & set(second["ins"]))


def _adds_a_loss(run: Run, event: dict) -> bool:
    """Whether a pass began at one of the numbers that are added, or ran through it."""
    made = {run.trace.tensors[t].get("n") for t in event["ins"]}
    return (
        bool(made & run.pass_of_node.keys())
        and not run.trace.tensors[event["out"][0]["t"]]["shape"]
    )
