"""Selects backward passes of a trace, and splits it into parts shown one at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradtrace.graph.build import build_graph
from gradtrace.graph.groups import MAX_WHOLE
from gradtrace.trace import Event, Trace, nodes_made, tensors_made


def backward_passes(trace: Trace) -> list[int]:
    """The numbers of the backward passes, in order."""
    return [event["p"] for event in trace.events if event["k"] == "backward"]


def select_passes(trace: Trace, first: int, last: int) -> Trace:
    """The trace of these backward passes, with the operations that made the graph they run through.

    What happens between two passes (a printed line, an update) belongs to the pass before it, until
    a new graph is begun or gradients are cleared.
    """
    events = trace.events
    ends = {e["p"]: i for i, e in enumerate(events) if e["k"] == "backward_end"}
    starts = {e["p"]: i for i, e in enumerate(events) if e["k"] == "backward"}
    low = 0
    if first - 1 in ends:  # where the forward pass after the one before begins
        after = range(ends[first - 1], len(events))
        low = next((i for i in after if nodes_made(events[i])), len(events))
    high = min((i for p, i in starts.items() if p > last), default=len(events))
    between = range(ends.get(last, high), high)
    high = next((i for i in between if _prepares_next_pass(trace, events[i])), high)
    ran = {e["n"] for e in events if e["k"] in ("node", "acc") and first <= e["p"] <= last}
    used: set[str] = set()
    for event in reversed(events[:high]):
        if event["k"] == "op" and (nodes_made(event) & ran or used & tensors_made(event)):
            used.update(event["ins"])
    kept = [
        event
        for index, event in enumerate(events[:high])
        if (low <= index and not (event["k"] == "op" and nodes_made(event) - ran))
        or (event["k"] == "op" and (nodes_made(event) & ran or used & tensors_made(event)))
        or event["k"] == "reg"
    ]
    return replace(trace, events=kept)


def numbered_from_one(trace: Trace, first: int) -> Trace:
    """The trace of passes from `first` on, in which that is the first."""

    def shifted(row: dict) -> dict:
        return {**row, "p": row["p"] - first + 1} if "p" in row else row

    calls = {key: shifted(call) for key, call in trace.calls.items()}
    return replace(trace, events=list(map(shifted, trace.events)), calls=calls)


def until_next_pass(trace: Trace, last: int) -> Trace:
    """The trace without what prepares the pass after `last`: its `zero_grad`, its operations."""
    ends = [i for i, e in enumerate(trace.events) if e["k"] == "backward_end" and e["p"] == last]
    after = range(ends[-1] if ends else len(trace.events), len(trace.events))
    begins = (i for i in after if trace.events[i]["k"] == "op" or trace.events[i].get("by"))
    return replace(trace, events=trace.events[: next(begins, len(trace.events))])


def _prepares_next_pass(trace: Trace, event: Event) -> bool:
    """Whether the next pass begins here: cleared gradients, a new hook, a new leaf or graph."""
    if event["k"] == "grad_set":
        return event.get("after") is None
    new = (trace.tensors[out["t"]] for out in event.get("out", ()) if not out.get("inplace"))
    has_new_leaf = any(tensor["leaf"] and tensor["rg"] for tensor in new)
    return event["k"] == "reg" or bool(nodes_made(event)) or has_new_leaf


MAX_PASSES = 10
"""The number of passes recorded of a script, unless later ones are requested."""


@dataclass(frozen=True)
class Excerpt:
    """The backward passes from `first` to `last` with their forward passes; 0 if there are none, as
    in a script without a pass, and in a forward pass that failed."""

    trace: Trace
    first: int
    last: int

    @property
    def fails(self) -> bool:
        """Whether an error was raised in it."""
        return any(event["k"] == "error" for event in self.trace.events)


def excerpts(trace: Trace, asked: tuple[int, int] | None) -> list[Excerpt]:
    """All parts of a recording, in order. `asked`: passes that must form one part."""
    total = len(backward_passes(trace))
    if not total:
        return [Excerpt(trace, 0, 0)]
    first, last = asked or (1, 0)
    between = [asked] if asked else []
    ranges = [*_ranges(trace, 1, first - 1), *between, *_ranges(trace, last + 1, total)]
    # What came after all passes, if a forward pass began there and failed.
    failed = trace.events[len(until_next_pass(trace, total).events) :]
    if not (any(event["k"] == "error" for event in failed) and any(map(nodes_made, failed))):
        failed = []
    if failed:
        trace = replace(trace, events=trace.events[: -len(failed)])
    found = [Excerpt(_part(trace, *ends, total), *ends) for ends in ranges]
    if failed:
        hooks = [event for event in trace.events if event["k"] == "reg"]
        found.append(Excerpt(replace(trace, events=[*hooks, *failed]), 0, 0))
    return found


def first_shown(parts: list[Excerpt], asked: tuple[int, int] | None) -> int:
    """The index of the part at which a page opens: the requested one, else the last that failed,
    else the first."""
    if asked:
        return [(part.first, part.last) for part in parts].index(asked)
    return max((index for index, part in enumerate(parts) if part.fails), default=0)


def can_be_drawn(trace: Trace) -> bool:
    """Whether there is a backward pass or an error, and a graph."""
    failed = any(event["k"] == "error" for event in trace.events)
    return bool((backward_passes(trace) or failed) and build_graph(trace).boxes)


def without_unfinished(trace: Trace, max_passes: int) -> Trace:
    """A trace that ended while the script ran, without unfinished events: passes after the last one
    wanted, and the node that was running (it has sent no gradients, but has not failed either)."""
    failed = {event["p"] for event in trace.events if event["k"] == "error" and "p" in event}
    if len(backward_passes(trace)) > max_passes:
        trace = until_next_pass(select_passes(trace, 1, max_passes), max_passes)
    ends = {"node": "gout", "acc": "after"}
    kept = [e for e in trace.events if ends.get(e["k"], "k") in e or e["p"] in failed]
    return replace(trace, events=kept)


def _part(trace: Trace, first: int, last: int, total: int) -> Trace:
    if (first, last) == (1, total):
        return trace
    selected = select_passes(trace, first, last)
    part = selected if last == total else until_next_pass(selected, last)
    kept = {id(event) for event in part.events}
    events = trace.events
    ended = len(until_next_pass(trace, first - 1).events) if first > 1 else 0
    begins = next(i for i, e in enumerate(events) if e["k"] == "backward" and e["p"] == first)
    before = (e for e in events[ended:begins] if e["k"] in ("grad_set", "set", "print"))
    kept |= {id(event) for event in before}
    return replace(part, events=[event for event in events if id(event) in kept])


def _ranges(trace: Trace, first: int, last: int) -> list[tuple[int, int]]:
    """The passes from the first to the last, grouped if they belong to one step of an optimizer,
    share nodes, or fit in one picture; a failing pass is with the ones that led to it."""
    if first > last:
        return []
    failed = {event["p"] for event in trace.events if event["k"] == "error" and "p" in event}
    step_after, ran, begun = set(), {}, 0
    """The passes after which an optimizer made a step before the next one began, and the nodes that
    ran in each."""
    for event in trace.events:
        if event["k"] == "backward":
            begun = event["p"]
        elif event["k"] == "step":
            step_after.add(begun)
        elif event["k"] == "node":
            ran.setdefault(event["p"], set()).add(event["n"])
    last_step = max(step_after, default=0)
    ranges = [(first, first)]
    for number in range(first + 1, last + 1):
        begin, before = ranges[-1]
        met = set().union(*(ran.get(p, set()) for p in range(begin, number)))
        together = number in failed or bool(met & ran.get(number, set()))
        if not together and before not in step_after:
            both = select_passes(trace, begin, number)
            together = number <= last_step or len(build_graph(both).boxes) <= MAX_WHOLE
        if together:
            ranges[-1] = begin, number
        else:
            ranges.append((number, number))
    return ranges
