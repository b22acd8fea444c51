"""The steps of a figure: for each event a sentence, and what the figure shows from then on.

A step holds the slots that it changes (`gradtrace.story.effects`): the state at a step is the
result of all steps up to it, however the reader got there.

For a new kind of event: add its effect to `story.effects`, and a function that returns its sentence
to `_NARRATE`; its phrases are in each file of `words`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gradtrace.graph.build import Graph, build_graph
from gradtrace.story import sentences
from gradtrace.story.effects import Effects
from gradtrace.story.narrator import Narrator
from gradtrace.trace import Event, Trace


@dataclass(frozen=True)
class Step:
    """One event, at a line of the script or of another `file` of the user; if following lines did
    the same, up to the `last_line`.

    `kind` is the kind of its event, and `event` its index; `changes` are the new texts of slots,
    `touches` the keys of the boxes and edges concerned, `backward` the number of the backward pass
    in which it happened.
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
    """The steps of a trace, in a language; with its `graph`, if it is already built."""
    effects = Effects(trace, graph or build_graph(trace), language)
    narrator = Narrator(effects)
    steps, pass_number, backward = [], 0, None
    for index, event in enumerate(trace.events):
        pass_number = event.get("p", pass_number)
        if event["k"] == "backward":
            backward = pass_number
        touches = effects.apply(index, {"p": pass_number, **event})
        sentence = _sentence(narrator, index, {"p": pass_number, **event})
        if sentence is not None:
            line, last = event.get("line"), narrator.last_line
            last = last if line and last and last > line else None
            place = event["k"], index, line, last, event.get("file")
            steps.append(Step(*place, sentence, effects.state.take_changes(), touches, backward))
        if event["k"] == "backward_end":
            backward = None
    return steps


def _sentence(narrator: Narrator, index: int, event: Event) -> str | None:
    """The sentence about the event at an index, if any."""
    narrator.index, narrator.last_line = index, None
    narrate = None if index in narrator.covered else _NARRATE.get(event["k"])
    said = [narrate(narrator, event) if narrate else None, narrator.later.pop(index, None)]
    said = [sentence for sentence in said if sentence is not None]
    return narrator.join("sentences", said) if said else None


def texts_of_slots(steps: Iterable[Step]) -> dict[str, list[str]]:
    """All texts that each slot shows, in order; the last is the text after the run."""
    texts: dict[str, list[str]] = {}
    for step in steps:
        for slot, text in step.changes.items():
            texts.setdefault(slot, []).append(text)
    return texts


_NARRATE: Mapping[str, Callable[[Narrator, Event], str | None]] = {
    "op": sentences.operation,
    "reg": sentences.hook_registered,
    "backward": sentences.pass_begins,
    "node": sentences.node_ran,
    "acc": sentences.gradient_accumulated,
    "backward_end": sentences.pass_ended,
    "hook": sentences.hook_called,
    "call": sentences.function_called,
    "grad_set": sentences.grad_assigned,
    "set": sentences.value_assigned,
    "step": sentences.optimizer_step,
    "print": sentences.printed,
    "error": sentences.error,
}
"""The function that returns the sentence for each kind of event; other kinds make no step."""
