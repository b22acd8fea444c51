"""Sentences about what happens around the passes: assignments, optimizers, output, errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradtrace.graph.build import FAILED
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.narrate.output import MAX_LINES, listed_lines, printed_lines
from gradtrace.narrate.value_format import format_value
from gradtrace.trace import Event

MAX_ITEMS = 3
"""Parameters of which one sentence tells how they, or their gradients, changed."""


def grad_assigned(narrator: Narrator, event: Event) -> Narration:
    """The `.grad` of a leaf tensor was changed, and with it those that the same line changed, as
    `zero_grad` and clipping do."""
    changes, boxes = [], []
    for change in (event, *_others_of_the_line(narrator, event)):
        for box in narrator.boxes([change["t"]]):
            for key in ("before", "after"):
                narrator.state.set_grad(box, format_value(change.get(key), narrator.language))
            before, after = (narrator.value(change.get(key)) for key in ("before", "after"))
            name = narrator.name(change["t"])
            changes.append(narrator.phrase("grad_set", name=name, before=before, after=after))
            boxes.append(box)
    if not changes:
        return None
    return _listed(narrator, changes, "more_grads") + narrator.phrase("stop"), boxes


def _others_of_the_line(narrator: Narrator, event: Event) -> Iterator[Event]:
    """The events of this kind that follow at once, from the same line; they count as told."""
    for index, following in enumerate(narrator.later_events(), narrator.index + 1):
        if any(following.get(key) != event.get(key) for key in ("k", "line", "file")):
            return
        narrator.told.add(index)
        yield following


def _listed(narrator: Narrator, changes: Sequence[str], more: str) -> str:
    """As many as have room, and how many `more` there are."""
    text = narrator.join("then", changes[:MAX_ITEMS])
    count = len(changes) - MAX_ITEMS
    if count <= 0:
        return text
    return text + narrator.phrase(more if count > 1 else f"{more}_one", count=count)


def value_assigned(narrator: Narrator, event: Event) -> Narration:
    """The value of a leaf tensor was changed without an operation, as `w.data -= 1` does."""
    boxes = narrator.boxes([event["t"]])
    if not boxes:
        return None
    unused = not narrator.state.has_value(boxes[0])  # nothing has used it: this is its first value
    narrator.state.set_value(boxes[0], format_value(event["after"], narrator.language), unused)
    if narrator.graph.boxes[boxes[0]].kind == "leaf":
        narrator.state.init_grad(boxes[0])
    before, after = (narrator.value(event.get(key)) for key in ("before", "after"))
    name = narrator.name(event["t"])
    return narrator.phrase("set", name=name, before=before, after=after), boxes


def optimizer_step(narrator: Narrator, event: Event) -> Narration:
    """An optimizer made a step."""
    updates, boxes = [], []
    for row in event["params"]:
        before, grad, after = (narrator.value(row.get(key)) for key in ("before", "grad", "after"))
        if before != after or len(event["params"]) == 1:
            key = "unmoved" if before == after else "update"
            key = "skipped" if before == after and row.get("grad") is None else key
            name = narrator.name(row["t"])
            updates.append(narrator.phrase(key, name=name, before=before, after=after, grad=grad))
        for box in narrator.boxes([row["t"]]):
            narrator.state.set_value(box, format_value(row["after"], narrator.language))
            boxes.append(box)
    if not updates:
        return None
    text = _listed(narrator, updates, "more")
    return narrator.phrase("step", optimizer=event["opt"], updates=text), boxes


def printed(narrator: Narrator, event: Event) -> Narration:
    """The script printed something; what it prints next is told with it, if that is short."""
    texts = [event["text"]]
    for index, following in enumerate(narrator.later_events(), narrator.index + 1):
        lines = printed_lines([*texts, following.get("text", "")])
        if index - 1 in narrator.later or len(lines) > MAX_LINES:
            break
        if following["k"] == "print":
            texts.append(following["text"])
            narrator.told.add(index)
            if following.get("file") == event.get("file"):
                narrator.last_line = following["line"]
        elif not _is_only_for_output(narrator, following):
            break
    text = listed_lines(narrator, printed_lines(texts))
    return (narrator.phrase("print", text=text), []) if text else None


def _is_only_for_output(narrator: Narrator, event: Event) -> bool:
    """Whether an event makes no step: a number is read, or what is made is not drawn."""
    made = event.get("out", ()) if event["k"] == "op" else ()
    drawn = (
        narrator.graph.box_of(out["t"]) or out.get("n") in narrator.graph.boxes for out in made
    )
    return event["k"] == "read" or (event["k"] == "op" and not any(drawn))


def error(narrator: Narrator, event: Event) -> Narration:
    """An error was raised: in an operation, or in the backward of the node that was running."""
    narrator.show_first_values(event.get("ins", ()))
    touched = [FAILED] if "ins" in event else _running_node(narrator, event)
    return narrator.phrase("error", message=event["msg"].split("\n")[0]), touched


def _running_node(narrator: Narrator, event: Event) -> list[str]:
    """The node of the pass that failed which had not sent a gradient; none where none ran."""
    if "p" not in event:
        return []
    before = narrator.trace.events[: narrator.index]
    ran = [e for e in before if e["k"] in ("node", "acc") and e["p"] == event["p"]]
    unfinished = [e["n"] for e in ran[-1:] if "gout" not in e and "after" not in e]
    return [key for key in unfinished if key in narrator.graph.boxes]
