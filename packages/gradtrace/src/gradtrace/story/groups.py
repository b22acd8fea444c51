"""The titles of folded groups, and the gradients of their parameters, as they arrive."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os.path import commonpath

from gradtrace.graph.build import Graph
from gradtrace.graph.groups import FIRST, LAST, SEVERAL, Group, Groups
from gradtrace.story.steps import Step
from gradtrace.story.value_text import format_number
from gradtrace.trace import Trace, Value
from gradtrace.values import norm
from gradtrace.words import LANGUAGES

MAX_LISTED = 4
"""The maximum number of parameters that a folded group names; for more it shows one norm."""


def group_titles(trace: Trace, groups: Groups, language: str) -> dict[str, str]:
    """The titles of groups, and of the stubs that stand for several of them."""
    phrases = LANGUAGES[language]
    titles = {FIRST: phrases["earlier"], LAST: phrases["later"], SEVERAL: phrases["leaves"]}
    for key, group in groups.by_key.items():
        titles[key] = _title(trace, groups, group, phrases)
    for group in groups.by_key.values():
        seen: dict[str, int] = {}
        for member in group.members:
            if member in titles and groups.by_key[member].kind == "call":
                title = titles[member]
                seen[title] = seen.get(title, 0) + 1
                if seen[title] > 1:
                    titles[member] = f"{title} ({seen[title]})"
    return titles


def group_notes(trace: Trace, groups: Groups, graph: Graph, language: str) -> dict[str, str]:
    """The text below the title of a group: the class of a module and the shape of its result, or
    the lines of the code."""
    phrases, notes = LANGUAGES[language], {}
    for key, group in groups.by_key.items():
        boxes = list(groups.boxes(key))
        if group.kind == "call":
            shape = _shape(trace, max(boxes, key=groups.place.__getitem__))
            notes[key] = " → ".join(filter(None, [trace.calls[group.call]["kind"], shape]))
        elif group.kind == "parameters":
            titles = [graph.boxes[box].title for box in boxes]
            notes[key] = commonpath(titles).rpartition(".")[0] or titles[0]
        elif group.lines and group.kind != "lines":
            notes[key] = _span("line", group.lines, phrases)
        else:
            notes[key] = phrases["boxes"].format(count=len(boxes))
    return notes


def norms_of_groups(
    trace: Trace, graph: Graph, groups: Groups, steps: Sequence[Step], language: str
) -> list[dict[str, str]]:
    """For each step the texts of groups that change with it: the norms of `.grad`."""
    changes: list[dict[str, str]] = [{} for _ in steps]
    if not steps:
        return changes
    leaves = _parameters_of_groups(trace, graph, groups)
    grads: dict[str, Value | None] = {}
    holders: dict[str, list[str]] = {}
    for key, inside in leaves.items():
        for leaf in inside:
            holders.setdefault(trace.nodes[leaf]["leaf"], []).append(key)
        if inside:
            changes[0][f"{key}g"] = _norms(trace, graph, inside, grads, language)
    at = 0
    for index, event in enumerate(trace.events):
        while at < len(steps) - 1 and steps[at].event < index:
            at += 1
        if event["k"] in ("acc", "grad_set") and "after" in event and event["t"] in holders:
            grads[event["t"]] = event["after"]
            for key in holders[event["t"]]:
                text = _norms(trace, graph, leaves[key], grads, language)
                changes[at][f"{key}g"] = text
    return changes


def _title(trace: Trace, groups: Groups, group: Group, phrases: Mapping[str, str]) -> str:
    if group.call:
        return _path(trace, groups, group)
    if group.kind == "whole":
        return phrases["whole"]
    if group.iterations:
        return _span("iteration", group.iterations, phrases)
    if group.kind == "parameters":
        return phrases["leaves"].format(count=sum(1 for _ in groups.boxes(group.key)))
    ends = [groups.by_key.get(member) for member in (group.members[0], group.members[-1])]
    if group.kind == "calls" and all(end and end.call for end in ends):
        first, last = (_path(trace, groups, end) for end in ends)
        return f"{first} – {last}"
    return _span("line", group.lines or (0, 0), phrases)


def _path(trace: Trace, groups: Groups, group: Group) -> str:
    """The path of a module relative to the module that calls it."""
    path = trace.calls[group.call]["path"]
    for key in reversed(groups.path(group.key)[:-1]):
        if outer := groups.by_key[key].call:
            return path.removeprefix(trace.calls[outer]["path"] + ".")
    return path


def _span(key: str, ends: tuple[int, int], phrases: Mapping[str, str]) -> str:
    first, last = ends
    return phrases[f"{key}s" if last > first else key].format(first=first, last=last)


def _shape(trace: Trace, box: str) -> str:
    """The shape of a box's result, and its dtype if it is unusual."""
    tensor = next(iter(trace.nodes.get(box, {}).get("out", {}).values()), None)
    if tensor is None:
        return ""
    row = trace.tensors[tensor]
    return " ".join(filter(None, ["×".join(map(str, row["shape"])), row.get("dtype")]))


def _parameters_of_groups(trace: Trace, graph: Graph, groups: Groups) -> dict[str, list[str]]:
    """The parameters whose gradients each group shows: those that a module uses, or the contained
    ones; none for the outermost."""
    rows = (key for key, box in graph.boxes.items() if box.kind == "leaf" and key in trace.nodes)
    rank = {key: place for place, key in enumerate(rows)}
    found = {}
    for key, group in groups.by_key.items():
        inside = [] if group.kind == "whole" else list(groups.boxes(key))
        used = set(inside)
        if group.kind == "call":
            used |= {edge.source for box in inside for edge in graph.edges_into.get(box, ())}
        found[key] = sorted(used & rank.keys(), key=rank.__getitem__)
    return found


def _norms(
    trace: Trace,
    graph: Graph,
    leaves: Sequence[str],
    grads: Mapping[str, Value | None],
    language: str,
) -> str:
    """The norm of the gradient of each parameter, or of all of them together."""
    phrases = LANGUAGES[language]
    values = {leaf: grads.get(trace.nodes[leaf]["leaf"]) for leaf in leaves}
    if len(leaves) <= MAX_LISTED:
        names = {leaf: f"{graph.boxes[leaf].title.rpartition('.')[2]}.grad" for leaf in leaves}
        return "\n".join(
            _norm(names[leaf], norm(value)) if value else f"{names[leaf]} None"
            for leaf, value in values.items()
        )
    there = [norm(value) for value in values.values() if value]
    count, total = len(there), len(leaves)
    key = "parameters" if count in (0, total) else "parameters_of"
    counted = phrases[key].format(count=count, total=total)
    if not there:
        return f".grad None, {counted}"
    known = [size for size in there if size is not None]
    return f"{_norm('.grad', math.hypot(*known) if known else None)}, {counted}"


def _norm(name: str, size: float | None) -> str:
    if size is None:
        return name
    return f"‖{name}‖ {format_number(float(f'{size:.4g}'))}"
