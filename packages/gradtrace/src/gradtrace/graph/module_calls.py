"""Calls of modules: which operations ran within one, and where its boundaries are."""

from __future__ import annotations

from gradtrace.trace import Event, Trace, operations, tensors_made

BOUNDARY = "BackwardHookFunction"
"""The operation that a full backward hook puts at each boundary of its module."""


def boundary_side(trace: Trace, event: Event) -> str:
    """Whether a node at the boundary of a module is at its "entrance" or at its "exit".

    A module whose inputs need no gradient has an exit alone. An entrance is followed by operations
    of the same call, deeper in modules, and by an exit that uses what they made.
    """
    events = list(operations(trace))
    boundaries = [
        index
        for index, e in enumerate(events)
        if e["op"] == BOUNDARY and e.get("mod") == event.get("mod")
    ]
    entrance = None
    for index in boundaries:
        if entrance is not None and _encloses_call(events, entrance, index):
            if events[entrance] is event:
                return "entrance"
            entrance = None
        else:
            entrance = index
    return "exit"


def is_inside_call(trace: Trace, event: Event) -> bool:
    """Whether an operation ran within a call whose last operation is a later one.

    Such a call is one expression on its line, and the next operation of that line is of the same
    expression and uses what came of this one.
    """
    out = event["out"][0]["t"]
    if event["op"] == BOUNDARY or not event.get("src") or trace.tensors[out].get("names"):
        return False
    events = operations(trace)
    for before in events:
        if before is event:
            break
    between = []
    for later in events:
        if later.get("line") == event.get("line") and later["op"] != BOUNDARY:
            return later.get("src") == event["src"] and _uses(event, between, later)
        between.append(later)
    return False


def inner_name(trace: Trace, event: Event) -> str:
    """The name of an operation within a call: the module whose parameters it uses, or itself."""
    names = [name for t in event["ins"] for name in trace.tensors[t].get("names", [])]
    modules = dict.fromkeys(name.rpartition(".")[0] for name in names if "." in name)
    return next(iter(modules), f"{event['op']}(…)")


def _encloses_call(events: list[Event], start: int, end: int) -> bool:
    """Whether two boundaries of a module are before and after one call of it."""
    entrance, leaving = events[start], events[end]
    inner = [one for one in events[start + 1 : end] if one["op"] != BOUNDARY]
    same = _call_site(entrance) == _call_site(leaving)
    within = bool(inner) and all(_is_deeper(one, entrance) for one in inner)
    return same and within and _uses(entrance, events[start + 1 : end], leaving)


def _call_site(event: Event) -> tuple:
    return event.get("line"), event.get("src"), event.get("module")


def _is_deeper(inner: Event, outer: Event) -> bool:
    path, above = inner.get("module", ""), outer.get("module", "")
    return len(path) > len(above) and path.startswith(above)


def _uses(first: Event, between: list[Event], last: Event) -> bool:
    """Whether the last operation uses what came of the first."""
    made = tensors_made(first)
    for event in between:
        if made & set(event["ins"]):
            made |= tensors_made(event)
    return bool(made & set(last["ins"]))
