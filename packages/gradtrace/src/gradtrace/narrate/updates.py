"""Sentences about what happens around the passes: assignments, optimizers, output, errors."""

from __future__ import annotations

from gradtrace.narrate.backward import returned_after_output
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.narrate.value_format import format_value
from gradtrace.trace import Event

MAX_ITEMS = 3
"""Printed lines, and updated parameters, that one sentence lists."""
MAX_LINE_LENGTH = 110
"""Characters of a printed line that a sentence repeats."""


def grad_assigned(narrator: Narrator, event: Event) -> Narration:
    """The `.grad` of a leaf tensor was changed by an assignment or by `zero_grad`."""
    boxes = narrator.boxes([event["t"]])
    if not boxes:
        return None
    for key in ("before", "after"):
        narrator.state.set_grad(boxes[0], format_value(event.get(key), narrator.language))
    before, after = (narrator.value(event.get(key)) for key in ("before", "after"))
    name = narrator.name(event["t"])
    return narrator.phrase("grad_set", name=name, before=before, after=after), boxes


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
    text = narrator.join("then", updates[:MAX_ITEMS])
    if len(updates) > MAX_ITEMS:
        count = len(updates) - MAX_ITEMS
        text += narrator.phrase("more" if count > 1 else "more_one", count=count)
    return narrator.phrase("step", optimizer=event["opt"], updates=text), boxes


def printed(narrator: Narrator, event: Event) -> Narration:
    """The script printed something."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, event["text"].split("\n"))):
        if lines and lines[-1].count("[") > lines[-1].count("]"):
            lines[-1] += f" {line}"  # the next row of a tensor
        else:
            lines.append(line)
    if not lines:
        return None
    text = narrator.join("and", (f"`{_shortened(line)}`" for line in lines[:MAX_ITEMS]))
    if len(lines) > MAX_ITEMS:
        text += narrator.phrase("more_lines")
    if ending := returned_after_output(narrator, event):
        hook, returned = ending
        return narrator.phrase("print_and", text=text, hook=hook, returned=returned), []
    return narrator.phrase("print", text=text), []


def error(narrator: Narrator, event: Event) -> Narration:
    """An error was raised."""
    return narrator.phrase("error", message=event["msg"].split("\n")[0]), []


def _shortened(text: str) -> str:
    """A long line without its end."""
    if len(text) <= MAX_LINE_LENGTH:
        return text
    return text[:MAX_LINE_LENGTH].rpartition(" ")[0] + " …"
