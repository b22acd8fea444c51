"""What a stand-alone page shows of a long trace: some backward passes, some boxes.

Whatever is left out is noted: `notes` are keys of phrases (`gradtrace.narrate.languages`) with the
values of their placeholders.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradtrace.graph.build import Graph, build_graph, without
from gradtrace.graph.passes import backward_passes, select_passes, until_next_pass
from gradtrace.trace import Event, Trace

MAX_BOXES_WITH_PARAMETERS = 40
"""Further passes of a step are shown up to so many boxes; with more, parameters are hidden."""
MAX_BOXES = 60
"""Boxes of a graph without parameters; of more, those that the backward pass reaches first."""
MAX_PASSES = 10
"""A script is recorded for so many passes, unless later ones are asked for."""

Note = tuple[str, dict]


@dataclass(frozen=True)
class Excerpt:
    """What is shown of a trace: a part of it, without the boxes in `hidden`."""

    trace: Trace
    hidden: frozenset[str]
    notes: tuple[Note, ...]


def excerpt(trace: Trace, passes: tuple[int, int] | None) -> Excerpt:
    """What to show of a trace. `passes`: the first and the last pass that are asked for, if any."""
    total = len(backward_passes(trace))
    notes: list[Note] = []
    if total:
        first, last = passes or (1, _passes_that_fit(trace, _passes_of_first_step(trace)))
        if (first, last) != (1, total):
            shown = str(first) if first == last else f"{first}–{last}"
            other = last + 1 if last < total else 1
            notes.append(("note_passes", {"total": total, "shown": shown, "other": other}))
            selected = select_passes(trace, first, last)
            trace = selected if last == total else until_next_pass(selected, last)
    graph = build_graph(trace)
    hidden: set[str] = set()
    if len(graph.boxes) > MAX_BOXES_WITH_PARAMETERS:
        hidden = _parameters(trace, graph)
        count = sum(graph.boxes[key].kind == "leaf" for key in hidden)
        if count:
            notes.append(("note_parameters", {"count": count}))
    if len(graph.boxes) - len(hidden) > MAX_BOXES:
        far = _reached_last(trace, without(graph, hidden))
        notes.append(("note_nodes", {"kept": MAX_BOXES, "count": len(far)}))
        hidden |= far
    return Excerpt(trace, frozenset(hidden), tuple(notes))


def without_unfinished(trace: Trace, max_passes: int) -> Trace:
    """A trace that ended while the script ran, cut to what is finished: without later passes than
    the last one wanted, and without the node that was running (it has sent no gradients, but has
    not failed either)."""
    failed = {event["p"] for event in trace.events if event["k"] == "error" and "p" in event}
    if len(backward_passes(trace)) > max_passes:
        trace = until_next_pass(select_passes(trace, 1, max_passes), max_passes)
    kept = [e for e in trace.events if _is_finished(e) or e["p"] in failed]
    return replace(trace, events=kept)


def _is_finished(event: Event) -> bool:
    return {"node": "gout", "acc": "after"}.get(event["k"], "k") in event


def _passes_of_first_step(trace: Trace) -> int:
    """How many passes, from the first, belong to the first step of an optimizer; without a step,
    how many there are."""
    steps = (i for i, event in enumerate(trace.events) if event["k"] == "step")
    first = next(steps, len(trace.events))
    return max(1, sum(event["k"] == "backward" for event in trace.events[:first]))


def _passes_that_fit(trace: Trace, total: int) -> int:
    """How many passes, from the first, have room in one figure."""
    count = 1
    while count < total:
        graph = build_graph(select_passes(trace, 1, count + 1))
        if len(graph.boxes) > MAX_BOXES_WITH_PARAMETERS:
            break
        count += 1
    return count


def _parameters(trace: Trace, graph: Graph) -> set[str]:
    """Boxes of parameters without hooks, and of the nodes between them and their use."""
    hooked = {tensor for e in trace.events if e["k"] == "reg" for tensor in _hooked_tensors(e)}
    hidden = {
        key
        for key, box in graph.boxes.items()
        if box.kind == "leaf"
        and trace.tensors[trace.nodes[key]["leaf"]].get("param")
        and trace.nodes[key]["leaf"] not in hooked
    }
    while True:
        more = {
            key
            for key, box in graph.boxes.items()
            if box.kind == "node" and key not in hidden and not trace.nodes[key].get("out")
            if (links := [link[0] for link in trace.nodes[key]["next"] if link])
            and hidden.issuperset(links)
        }
        if not more:
            return hidden
        hidden |= more


def _hooked_tensors(event: Event) -> list[str]:
    on = event.get("on")
    return on if isinstance(on, list) else [on]


def _reached_last(trace: Trace, graph: Graph) -> set[str]:
    """All boxes but those that the backward pass reaches first."""
    met = [e["n"] for e in trace.events if e["k"] in ("node", "acc") and e["n"] in graph.boxes]
    order = dict.fromkeys([*met, *graph.boxes])
    return set(list(order)[MAX_BOXES:])
