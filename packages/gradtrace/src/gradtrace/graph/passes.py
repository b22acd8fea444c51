"""Selects backward passes of a trace."""

from __future__ import annotations

from dataclasses import replace

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
    low = _next_forward_pass(events, ends[first - 1]) if first - 1 in ends else 0
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


def _next_forward_pass(events: list[Event], after: int) -> int:
    """The index at which the forward pass after this one begins."""
    return next((i for i in range(after, len(events)) if nodes_made(events[i])), len(events))


def _prepares_next_pass(trace: Trace, event: Event) -> bool:
    """Whether the next pass begins here: cleared gradients, a new hook, a new leaf or graph."""
    if event["k"] == "grad_set":
        return event.get("after") is None
    new = (trace.tensors[out["t"]] for out in event.get("out", ()) if not out.get("inplace"))
    has_new_leaf = any(tensor["leaf"] and tensor["rg"] for tensor in new)
    return event["k"] == "reg" or bool(nodes_made(event)) or has_new_leaf
