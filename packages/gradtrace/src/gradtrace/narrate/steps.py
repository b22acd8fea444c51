"""The steps of a figure: for each event a sentence, and what the figure shows from then on.

A step holds the slots that it changes (`gradtrace.graph.state`), so the state at a step is what all
steps up to it left, whichever way a reader came there.

For a new kind of event: write a function `(narrator, event) -> Narration` in `forward`, `backward`
or `updates`, its phrases in each module of `languages`, and enter it in `_NARRATE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gradtrace.graph.build import Graph, build_graph
from gradtrace.graph.index import TraceIndex
from gradtrace.graph.passes import backward_passes
from gradtrace.graph.state import GraphState
from gradtrace.graph.titles import Titles
from gradtrace.narrate import backward, explain, forward, hooks, updates
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.trace import Event, Trace


@dataclass(frozen=True)
class Step:
    """One thing that happened, at a line of the script or of another `file` of the user; where
    lines after it did the same, up to the `last_line`.

    `kind` is that of its event, and `event` its index; `changes` are the new texts of slots,
    `touches` the keys of the boxes and edges that the step is about, `backward` the number of the
    backward pass in which it happened.
    """

    kind: str
    event: int
    line: int | None
    last_line: int | None
    file: str | None
    sentence: str
    changes: Mapping[str, str]
    touches: tuple[str, ...]
    backward: int | None = None


def list_steps(trace: Trace, language: str, graph: Graph | None = None) -> list[Step]:
    """The steps of a trace, in a language; of a `graph`, where not all boxes of it are shown."""
    index = TraceIndex(trace)
    graph = graph or build_graph(trace, index)
    state = GraphState(number_passes=len(set(backward_passes(trace))) > 1)
    narrator = Narrator(trace, graph, Titles(index), language, state)
    steps, pass_number, backward = [], 0, None
    for narrator.index, event in enumerate(trace.events):
        pass_number = event.get("p", pass_number)
        if event["k"] == "backward":
            backward = pass_number
        narrator.last_line = None
        narrate = None if narrator.index in narrator.told else _NARRATE.get(event["k"])
        narration = narrate(narrator, {"p": pass_number, **event}) if narrate else None
        if (later := narrator.later.pop(narrator.index, None)) and (sentence := later()):
            told, touched = narration or ("", [])
            narration = narrator.join("sentences", filter(None, [told, sentence])), touched
        if narration:
            sentence, touched = narration
            touches = tuple(dict.fromkeys(touched))
            changes = state.take_changes()
            line, last = event.get("line"), narrator.last_line
            last = last if line and last and last > line else None
            place = event["k"], narrator.index, line, last, event.get("file")
            steps.append(Step(*place, sentence, changes, touches, backward))
        if event["k"] == "backward_end":
            backward = None
    return steps


def states(steps: Iterable[Step]) -> Iterator[dict[str, str]]:
    """The texts of all slots after each step."""
    state: dict[str, str] = {}
    for step in steps:
        state = {**state, **step.changes}
        yield state


def texts_of_slots(steps: Iterable[Step]) -> dict[str, list[str]]:
    """All texts that each slot shows, in order; the last is that after the run."""
    texts: dict[str, list[str]] = {}
    for step in steps:
        for slot, text in step.changes.items():
            texts.setdefault(slot, []).append(text)
    return texts


_NARRATE: Mapping[str, Callable[[Narrator, Event], Narration]] = {
    "op": forward.operation,
    "reg": forward.hook_registered,
    "backward": backward.pass_begins,
    "node": backward.node_ran,
    "acc": backward.gradient_accumulated,
    "backward_end": explain.pass_ended,
    "hook": hooks.hook_called,
    "call": hooks.function_called,
    "grad_set": updates.grad_assigned,
    "set": updates.value_assigned,
    "step": updates.optimizer_step,
    "print": updates.printed,
    "error": updates.error,
}
"""What makes the sentence of each kind of event; the others make no step."""
