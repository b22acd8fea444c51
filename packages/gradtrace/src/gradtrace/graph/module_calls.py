"""Calls of modules: which operations ran within one, and where its borders are."""

from __future__ import annotations

from gradtrace.model import Trace

BORDER = "BackwardHookFunction"
"""The operation that a backward hook puts at each border of its module."""


def side(trace: Trace, event: dict) -> str:
    """Whether a node at the border of a module stands at its `entrance` or its `exit`.

    A module whose inputs need no gradient has an exit alone. An entrance is followed by operations
    of the same call, deeper in modules, and by an exit that uses what they made.
    """
    events = [e for e in trace.events if e["k"] == "op"]
    borders = [
        index
        for index, e in enumerate(events)
        if e["op"] == BORDER and e.get("mod") == event.get("mod")
    ]
    entered = None
    for index in borders:
        if entered is not None and _encloses(events, entered, index):
            if events[entered] is event:
                return "entrance"
            entered = None
        else:
            entered = index
    return "exit"


def _encloses(events: list[dict], start: int, end: int) -> bool:
    """Whether two borders of a module stand before and after one call of it."""
    entrance, leaving = events[start], events[end]
    inner = [one for one in events[start + 1 : end] if one["op"] != BORDER]
    same = _place(entrance) == _place(leaving)
    within = bool(inner) and all(_deeper(one, entrance) for one in inner)
    return same and within and _uses(entrance, events[start + 1 : end], leaving)


def _place(event: dict) -> tuple:
    return event.get("line"), event.get("src"), event.get("module")


def _deeper(inner: dict, outer: dict) -> bool:
    path, above = inner.get("module", ""), outer.get("module", "")
    return len(path) > len(above) and path.startswith(above)


def _uses(first: dict, between: list[dict], last: dict) -> bool:
    """Whether the last operation uses what came of the first."""
    made = {out["t"] for out in first["out"]}
    for event in between:
        if made & set(event["ins"]):
            made |= {out["t"] for out in event["out"]}
    return bool(made & set(last["ins"]))


def inside(trace: Trace, event: dict) -> bool:
    """Whether an operation ran within a call whose last operation is a later one.

    Such a call is one expression on its line, and the next operation of that line is of the same
    expression and uses what came of this one.
    """
    out = event["out"][0]["t"]
    if event["op"] == BORDER or not event.get("src") or trace.tensors[out].get("names"):
        return False
    events = iter(e for e in trace.events if e["k"] == "op")
    for before in events:
        if before is event:
            break
    between = []
    for later in events:
        if later.get("line") == event.get("line") and later["op"] != BORDER:
            return later.get("src") == event["src"] and _uses(event, between, later)
        between.append(later)
    return False


def part(trace: Trace, event: dict) -> str:
    """What an operation within a call is called: the module whose parameters it uses, or itself."""
    names = [name for t in event["ins"] for name in trace.tensors[t].get("names", [])]
    modules = dict.fromkeys(name.rpartition(".")[0] for name in names if "." in name)
    return next(iter(modules), f"{event['op']}(…)")
