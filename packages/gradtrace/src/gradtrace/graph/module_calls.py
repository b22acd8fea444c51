"""Calls of modules: which operations ran within one, and where its boundaries are."""

from __future__ import annotations

from gradtrace.graph.index import TraceIndex
from gradtrace.trace import Event, tensors_made

BOUNDARY = "BackwardHookFunction"
"""The operation that a full backward hook puts at each boundary of its module."""


def boundary_sides(index: TraceIndex) -> dict[int, str]:
    """For each boundary of a module whether it is its "entrance" or its "exit".

    A module whose inputs need no gradient has an exit alone. An entrance is followed by operations
    of the same call, deeper in modules, and by an exit that uses what they made.
    """
    sides: dict[int, str] = {}
    entrances: dict[str | None, int] = {}
    for position, place in enumerate(index.operations):
        event = index.event(place)
        if event["op"] != BOUNDARY:
            continue
        sides[place], module = "exit", event.get("mod")
        entrance = entrances.pop(module, None)
        if entrance is not None and _encloses_call(index, entrance, position):
            sides[index.operations[entrance]] = "entrance"
        else:
            entrances[module] = position
    return sides


def insides_of_calls(index: TraceIndex) -> set[int]:
    """The operations that ran within a call whose last operation is a later one.

    Such a call is one expression on its line, and the next operation of that line is of the same
    expression and uses what came of this one.
    """
    next_of_line: dict[int | None, int] = {}
    found = set()
    for position in range(len(index.operations) - 1, -1, -1):
        place = index.operations[position]
        event = index.event(place)
        if event["op"] == BOUNDARY:
            continue
        later = next_of_line.get(event.get("line"))
        next_of_line[event.get("line")] = position
        if later is None or not event.get("src"):
            continue
        named = index.trace.tensors[event["out"][0]["t"]].get("names")
        end = index.event(index.operations[later])
        if not named and end.get("src") == event["src"] and _uses(index, position, later):
            found.add(place)
    return found


def _encloses_call(index: TraceIndex, start: int, end: int) -> bool:
    """Whether two boundaries of a module are before and after one call of it."""
    entrance, *inner, leaving = map(index.event, index.operations[start : end + 1])
    if _call_site(entrance) != _call_site(leaving):
        return False
    inner = [one for one in inner if one["op"] != BOUNDARY]
    within = bool(inner) and all(_is_deeper(one, entrance) for one in inner)
    return within and _uses(index, start, end)


def _call_site(event: Event) -> tuple:
    return event.get("line"), event.get("src"), event.get("module")


def _is_deeper(inner: Event, outer: Event) -> bool:
    path, above = inner.get("module", ""), outer.get("module", "")
    return len(path) > len(above) and path.startswith(above)


def _uses(index: TraceIndex, start: int, end: int) -> bool:
    """Whether the last of some operations in a row uses what came of the first."""
    first, *between, last = map(index.event, index.operations[start : end + 1])
    made = tensors_made(first)
    for event in between:
        if not made.isdisjoint(event["ins"]):
            made |= tensors_made(event)
    return not made.isdisjoint(last["ins"])
