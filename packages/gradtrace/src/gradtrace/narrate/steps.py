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
from gradtrace.graph.passes import backward_passes
from gradtrace.graph.state import GraphState
from gradtrace.narrate import backward, forward, updates
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.trace import Event, Trace


@dataclass(frozen=True)
class Step:
    """One thing that happened, at a line of the script.

    `kind` is that of its event; `changes` are the new texts of slots, `touches` the keys of the
    boxes and edges that the step is about.
    """

    kind: str
    line: int | None
    sentence: str
    changes: Mapping[str, str]
    touches: tuple[str, ...]


def list_steps(trace: Trace, language: str, graph: Graph | None = None) -> list[Step]:
    """The steps of a trace, in a language; of a `graph`, where not all boxes of it are shown."""
    graph = graph or build_graph(trace)
    state = GraphState(number_passes=len(set(backward_passes(trace))) > 1)
    narrator = Narrator(trace, graph, language, state)
    steps, pass_number = [], 0
    for narrator.index, event in enumerate(trace.events):
        pass_number = event.get("p", pass_number)
        narrate = _NARRATE.get(event["k"])
        narration = narrate(narrator, {"p": pass_number, **event}) if narrate else None
        if narration:
            sentence, touched = narration
            touches = tuple(dict.fromkeys(touched))
            changes = state.take_changes()
            steps.append(Step(event["k"], event.get("line"), sentence, changes, touches))
    return steps


def states(steps: Iterable[Step]) -> Iterator[dict[str, str]]:
    """The texts of all slots after each step."""
    state: dict[str, str] = {}
    for step in steps:
        state = {**state, **step.changes}
        yield state


_NARRATE: Mapping[str, Callable[[Narrator, Event], Narration]] = {
    "op": forward.operation,
    "reg": forward.hook_registered,
    "backward": backward.pass_begins,
    "node": backward.node_ran,
    "acc": backward.gradient_accumulated,
    "hook": backward.hook_called,
    "call": backward.function_called,
    "grad_set": updates.grad_assigned,
    "set": updates.value_assigned,
    "step": updates.optimizer_step,
    "print": updates.printed,
    "error": updates.error,
}
"""What makes the sentence of each kind of event; the others make no step."""
