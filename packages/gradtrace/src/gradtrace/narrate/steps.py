"""What happened, as steps: the line, the sentence, and what the picture shows from then on.

A step holds the slots of the picture that it changes (`gradtrace.graph.state`), so the state at a
step is what all steps up to it left behind, whichever way a reader came there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gradtrace.graph.nodes import Graph
from gradtrace.graph.state import Board
from gradtrace.model import Trace
from gradtrace.narrate import backward as told_backward
from gradtrace.narrate import forward as told_forward
from gradtrace.narrate.narrator import Teller, Told
from gradtrace.narrate.number_format import value

MOST = 3
"""Printed lines, and updated parameters, that one sentence tells."""
LONGEST = 110
"""Characters of a printed line that a sentence repeats."""


@dataclass(frozen=True)
class Step:
    """One thing that happened. `touches`: the cards and lines it is about."""

    kind: str
    line: int | None
    sentence: str
    changes: Mapping[str, str]
    touches: tuple[str, ...]


def read_steps(trace: Trace, graph: Graph, language: str) -> list[Step]:
    """The steps of a trace, told in a language."""
    passes = {event["p"] for event in trace.events if event["k"] == "backward"}
    teller = Teller(trace, graph, language, Board(number_passes=len(passes) > 1))
    steps, now = [], 0
    for teller.now, event in enumerate(trace.events):
        now = event.get("p", now)
        told = _TELL[event["k"]](teller, {"p": now, **event}) if event["k"] in _TELL else None
        if told:
            sentence, touched = told
            line = event.get("line")
            touches = tuple(dict.fromkeys(touched))
            steps.append(Step(event["k"], line, sentence, teller.board.changes(), touches))
    return steps


def states(steps: Iterable[Step]) -> Iterator[dict[str, str]]:
    """What every slot shows after each step."""
    state: dict[str, str] = {}
    for step in steps:
        state = {**state, **step.changes}
        yield state


def _grad_set(teller: Teller, event: dict) -> Told:
    cards = teller.cards([event["t"]])
    if not cards:
        return None
    before, after = (teller.value(event.get(key)) for key in ("before", "after"))
    for key in ("before", "after"):
        teller.board.grad(cards[0], value(event.get(key), teller.language))
    return teller.say("grad_set", name=teller.name(event["t"]), before=before, after=after), cards


def _set(teller: Teller, event: dict) -> Told:
    cards = teller.cards([event["t"]])
    if not cards:
        return None
    begin = not teller.board.has_value(cards[0])  # nothing has used it yet: this is how it begins
    teller.board.value(cards[0], value(event["after"], teller.language), begin)
    if teller.graph.cards[cards[0]].kind == "leaf":
        teller.board.no_grad_yet(cards[0])
    before, after = (teller.value(event.get(key)) for key in ("before", "after"))
    return teller.say("set", name=teller.name(event["t"]), before=before, after=after), cards


def _step(teller: Teller, event: dict) -> Told:
    updates, cards = [], []
    for told in event["params"]:
        before, grad, after = (teller.value(told.get(key)) for key in ("before", "grad", "after"))
        if before != after or len(event["params"]) == 1:
            parts = {"name": teller.name(told["t"]), "before": before, "after": after}
            key = "unmoved" if before == after else "update"
            key = "skipped" if before == after and told.get("grad") is None else key
            updates.append(teller.say(key, **parts, grad=grad))
        for card in teller.cards([told["t"]]):
            teller.board.value(card, value(told["after"], teller.language))
            cards.append(card)
    if not updates:
        return None
    text = teller.join("then", updates[:MOST])
    if len(updates) > MOST:
        count = len(updates) - MOST
        text += teller.say("more" if count > 1 else "more_one", count=count)
    return teller.say("step", optimizer=event["opt"], updates=text), cards


def _print(teller: Teller, event: dict) -> Told:
    lines: list[str] = []
    for line in filter(None, map(str.strip, event["text"].split("\n"))):
        if lines and lines[-1].count("[") > lines[-1].count("]"):
            lines[-1] += f" {line}"  # the next row of a tensor
        else:
            lines.append(line)
    if not lines:
        return None
    text = teller.join("and", (f"`{_shortened(line)}`" for line in lines[:MOST]))
    if len(lines) > MOST:
        text += teller.say("more_lines")
    return teller.say("print", text=text), []


def _error(teller: Teller, event: dict) -> Told:
    return teller.say("error", message=event["msg"].split("\n")[0]), []


def _shortened(text: str) -> str:
    """A long line without its end: it stands in full in the output above the figure."""
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"


_TELL = {
    "op": told_forward.op,
    "reg": told_forward.registered,
    "backward": told_backward.backward,
    "node": told_backward.node,
    "acc": told_backward.accumulated,
    "hook": told_backward.hook,
    "call": told_backward.called,
    "grad_set": _grad_set,
    "set": _set,
    "step": _step,
    "print": _print,
    "error": _error,
}
"""How each kind of event is told; of others there is nothing to say."""
