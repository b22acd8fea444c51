"""Finds the group of a graph in which a module is seen from near."""

from __future__ import annotations

from gradtrace.graph.groups import ROOT, Groups
from gradtrace.trace import Trace, nodes_made, operations


def module_paths(trace: Trace) -> list[str]:
    """The paths of all modules that were called, in the order of their first calls."""
    return list(dict.fromkeys(call["path"] for call in trace.calls.values()))


def group_of_module(trace: Trace, groups: Groups, path: str) -> str:
    """The innermost group that holds all that a module made in its first call; the outermost group
    where it made nothing."""
    made: dict[str, list[list[str]]] = {}
    for event in operations(trace):
        call = _call_of(trace, event.get("within"), path)
        boxes = [node for node in nodes_made(event) if node in groups.parent]
        made.setdefault(call, []).extend(groups.path(box)[:-1] for box in boxes)
    ways = next((ways for call, ways in made.items() if call and ways), [[ROOT]])
    return [group for group in ways[0] if all(group in way for way in ways)][-1]


def _call_of(trace: Trace, call: str | None, path: str) -> str:
    """The outermost call of a module within which another call was made, or itself; "" for none."""
    found = ""
    while call:
        found = call if trace.calls[call]["path"] == path else found
        call = trace.calls[call].get("within")
    return found
