"""Calls of modules: which operations ran within one, and where its borders are."""

from __future__ import annotations

from itertools import pairwise

from proof.trace.model import Trace

BORDER = "BackwardHookFunction"
"""The operation that a backward hook puts at each border of its module."""


def side(trace: Trace, event: dict) -> str:
    """Whether a node at the border of a module stands at its `entrance` or its `exit`.

    A module whose inputs need no gradient has an exit alone. An entrance is followed by operations
    of the same call, deeper in modules, and by an exit that uses what they made.
    """
    events = [e for e in trace.events if e["k"] == "op"]
    borders = [
        (index, e)
        for index, e in enumerate(events)
        if e["op"] == BORDER and e.get("mod") == event.get("mod")
    ]
    for (start, entrance), (end, leaving) in pairwise(borders):
        if entrance is event:
            inner = events[start + 1 : end]
            same = _place(entrance) == _place(leaving)
            within = bool(inner) and all(_deeper(one, entrance) for one in inner)
            return "entrance" if same and within and _uses(entrance, inner, leaving) else "exit"
    return "exit"


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
