"""What a figure shows of a long recording: some backward passes, some of the graph.

Whatever is left out is told: `notes` are the keys of sentences (`gradtrace.narrate.phrases`) and
what stands in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradtrace.graph.nodes import Graph, read_graph, select, without
from gradtrace.model import Event, Trace

CARDS = 40
"""Further passes of a step are shown up to so many cards; with more, parameters go."""
MOST = 60
"""Cards of a graph without parameters; of more, those that the backward pass meets first."""
PASSES = 10
"""A script is recorded for so many passes, unless later ones are asked for."""

Note = tuple[str, dict]


@dataclass(frozen=True)
class Excerpt:
    """What is shown of a recording: a part of it, without the cards in `hidden`."""

    trace: Trace
    hidden: frozenset[str]
    notes: tuple[Note, ...]


def excerpt(trace: Trace, asked: tuple[int, int] | None) -> Excerpt:
    """What to show of a recording. `asked`: the first and last pass that the reader wants."""
    passes = walked(trace)
    notes: list[Note] = []
    if passes:
        first, last = asked or (1, _fitting(trace, _until_step(trace)))
        if (first, last) != (1, len(passes)):
            shown = str(first) if first == last else f"{first}–{last}"
            other = last + 1 if last < len(passes) else 1
            told = {"total": len(passes), "shown": shown, "other": other}
            notes.append(("note_passes", told))
            cut = select(trace, first, last)
            trace = cut if last == len(passes) else _until_the_next(cut, last)
    graph = read_graph(trace)
    hidden: set[str] = set()
    if len(graph.cards) > CARDS:
        hidden = _parameters(trace, graph)
        count = sum(graph.cards[key].kind == "leaf" for key in hidden)
        if count:
            notes.append(("note_parameters", {"count": count}))
    if len(graph.cards) - len(hidden) > MOST:
        far = _far(trace, without(graph, hidden))
        notes.append(("note_nodes", {"kept": MOST, "count": len(far)}))
        hidden |= far
    return Excerpt(trace, frozenset(hidden), tuple(notes))


def walked(trace: Trace) -> list[int]:
    """The numbers of the backward passes."""
    return [event["p"] for event in trace.events if event["k"] == "backward"]


def tidied(trace: Trace, most: int) -> Trace:
    """A recording that ended while the script ran: without later passes than the last one wanted,
    and without the node at which it stood, which has sent nothing on, and hasn't failed either."""
    failed = {event["p"] for event in trace.events if event["k"] == "error" and "p" in event}
    if len(walked(trace)) > most:
        trace = _until_the_next(select(trace, 1, most), most)
    kept = [e for e in trace.events if _whole(e) or e["p"] in failed]
    return replace(trace, events=kept)


def _whole(event: Event) -> bool:
    return {"node": "gout", "acc": "after"}.get(event["k"], "k") in event


def _until_step(trace: Trace) -> int:
    """How many passes, from the first, belong to the first step of an optimizer; without a step,
    how many there are."""
    steps = (i for i, event in enumerate(trace.events) if event["k"] == "step")
    first = next(steps, len(trace.events))
    return max(1, sum(event["k"] == "backward" for event in trace.events[:first]))


def _fitting(trace: Trace, total: int) -> int:
    """How many passes, from the first, have room in one figure."""
    fitting = 1
    while fitting < total and len(read_graph(select(trace, 1, fitting + 1)).cards) <= CARDS:
        fitting += 1
    return fitting


def _until_the_next(trace: Trace, last: int) -> Trace:
    """Without what prepares the pass after the last one: its `zero_grad`, its operations."""
    ends = [i for i, e in enumerate(trace.events) if e["k"] == "backward_end" and e["p"] == last]
    after = range(ends[-1] if ends else len(trace.events), len(trace.events))
    begins = (i for i in after if trace.events[i]["k"] == "op" or trace.events[i].get("by"))
    return replace(trace, events=trace.events[: next(begins, len(trace.events))])


def _parameters(trace: Trace, graph: Graph) -> set[str]:
    """Cards of parameters without hooks, and of what stands between them and their use."""
    hooked = {on for e in trace.events if e["k"] == "reg" for on in _targets(e)}
    hidden = {
        key
        for key, card in graph.cards.items()
        if card.kind == "leaf"
        and trace.tensors[trace.nodes[key]["leaf"]].get("param")
        and trace.nodes[key]["leaf"] not in hooked
    }
    while True:
        more = {
            key
            for key, card in graph.cards.items()
            if card.kind == "node" and key not in hidden and not trace.nodes[key].get("out")
            if (links := [link[0] for link in trace.nodes[key]["next"] if link])
            and hidden.issuperset(links)
        }
        if not more:
            return hidden
        hidden |= more


def _targets(event: Event) -> list[str]:
    on = event.get("on")
    return on if isinstance(on, list) else [on]


def _far(trace: Trace, graph: Graph) -> set[str]:
    """All cards but those that the backward pass meets first."""
    met = [e["n"] for e in trace.events if e["k"] in ("node", "acc") and e["n"] in graph.cards]
    order = dict.fromkeys([*met, *graph.cards])
    return set(list(order)[MOST:])
