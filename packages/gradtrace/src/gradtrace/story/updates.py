"""Sentences about what happens around the passes: assignments, optimizers, output, errors."""

from __future__ import annotations

from collections.abc import Sequence

from gradtrace.story.narrator import MAX_LINES, Narrator, listed_lines, printed_lines
from gradtrace.trace import Event

MAX_ITEMS = 3
"""The number of parameters whose changes (or whose gradients' changes) one sentence lists."""


def grad_assigned(narrator: Narrator, _: Event) -> str | None:
    """The `.grad` of a leaf tensor was changed, and with it those that the same line changed."""
    changes = []
    for index in narrator.effects.changed_together(narrator.index):
        narrator.covered.add(index)
        change = narrator.trace.events[index]
        if narrator.graph.box_of(change["t"]):
            before, after = (narrator.value(change.get(key)) for key in ("before", "after"))
            name = narrator.name(change["t"])
            changes.append(narrator.phrase("grad_set", name=name, before=before, after=after))
    return _listed(narrator, changes, "more_grads") + narrator.phrase("stop") if changes else None


def _listed(narrator: Narrator, changes: Sequence[str], more: str) -> str:
    """As many as fit, and the number of further ones (`more`)."""
    text = narrator.join("then", changes[:MAX_ITEMS])
    count = len(changes) - MAX_ITEMS
    if count <= 0:
        return text
    return text + narrator.phrase(more if count > 1 else f"{more}_one", count=count)


def value_assigned(narrator: Narrator, event: Event) -> str | None:
    """The value of a leaf tensor was changed without an operation, as `w.data -= 1` does."""
    if not narrator.graph.box_of(event["t"]):
        return None
    before, after = (narrator.value(event.get(key)) for key in ("before", "after"))
    return narrator.phrase("set", name=narrator.name(event["t"]), before=before, after=after)


def optimizer_step(narrator: Narrator, event: Event) -> str | None:
    """An optimizer made a step."""
    updates = []
    for row in event["params"]:
        before, grad, after = (narrator.value(row.get(key)) for key in ("before", "grad", "after"))
        if before != after or len(event["params"]) == 1:
            key = "unmoved" if before == after else "update"
            key = "skipped" if before == after and row.get("grad") is None else key
            name = narrator.name(row["t"])
            updates.append(narrator.phrase(key, name=name, before=before, after=after, grad=grad))
    if not updates:
        return None
    text = _listed(narrator, updates, "more")
    return narrator.phrase("step", optimizer=event["opt"], updates=text)


def printed(narrator: Narrator, event: Event) -> str | None:
    """The script printed something; the next output is appended, if it is short."""
    texts = [event["text"]]
    for index, following in enumerate(narrator.later_events(), narrator.index + 1):
        lines = printed_lines([*texts, following.get("text", "")])
        if index - 1 in narrator.later or len(lines) > MAX_LINES:
            break
        if following["k"] == "print":
            texts.append(following["text"])
            narrator.covered.add(index)
            if following.get("file") == event.get("file"):
                narrator.last_line = following["line"]
        elif not _is_only_for_output(narrator, following):
            break
    text = listed_lines(narrator, printed_lines(texts))
    return narrator.phrase("print", text=text) if text else None


def _is_only_for_output(narrator: Narrator, event: Event) -> bool:
    """Whether an event makes no step: a number is read, or the result is not drawn."""
    made = event.get("out", ()) if event["k"] == "op" else ()
    drawn = (
        narrator.graph.box_of(out["t"]) or out.get("n") in narrator.graph.boxes for out in made
    )
    return event["k"] == "read" or (event["k"] == "op" and not any(drawn))


def error(narrator: Narrator, event: Event) -> str:
    """An error was raised: in an operation, or in the backward of the node that was running."""
    return narrator.phrase("error", message=event["msg"].split("\n")[0])
