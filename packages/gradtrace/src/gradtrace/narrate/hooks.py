"""Sentences about hooks that were called: what they get, what they print, what they return; and
about other functions of the script that a node calls.

A hook is told in this order, as it happens. What else comes while it runs (a forward hook makes
tensors) is told in steps of its own, and what the hook returned after the last of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile

from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.narrate.output import listed_lines, printed_lines
from gradtrace.narrate.value_format import format_value, format_values, on_one_line
from gradtrace.trace import Event, Value

REPLACING_HOOKS = ("full_backward", "full_backward_pre", "backward")
"""Hooks on modules whose result goes on in place of the gradient."""
_MODULE_HOOKS = {
    "full_backward": ("hook_module", ("inputs", "outputs")),
    "backward": ("hook_module", ("inputs", "outputs")),
    "full_backward_pre": ("hook_before", ("outputs",)),
    "forward": ("hook_forward", ("inputs", "outputs")),
    "forward_pre": ("hook_forward_pre", ("inputs",)),
}
"""The phrase of each kind of hook on a module, and its placeholders for what the hook gets."""
_EVERY_MODULE = "every module"
"""What a recording has for the module of a hook on all of them."""
_LONGEST_EFFECT = 40
"""Characters of the gradients before and after a hook that a leaf has room for."""
_NOT_WITHIN = ("hook", "backward", "node", "acc", "backward_end", "error")
"""Events that no hook is said to have made."""


def hook_target(narrator: Narrator, event: Event) -> str:
    """On what a hook was registered, within a sentence; "" where that has no name."""
    on, tensors = event.get("on"), narrator.hooked_tensors(event.get("on"))
    if tensors:
        names = [narrator.titles.tensor(key) for key in tensors]
        texts = [narrator.phrase("tensor", name=name) for name in names]
        return narrator.enumeration(texts) if all(names) else ""
    if event["hook"].startswith("step_"):
        return narrator.phrase("optimizer", name=on)
    box = narrator.graph.boxes.get(event.get("at", ""))
    if on == _EVERY_MODULE and box is not None and box.kind == "module" and box.title:
        return narrator.phrase("module", name=box.title)
    return narrator.phrase("every_module") if on == _EVERY_MODULE else _module(narrator, on)


def hook_called(narrator: Narrator, event: Event) -> Narration:
    """A hook was called: what it got, what it printed, and what it returned."""
    kind, got, tensors = event["hook"], event.get("got") or [], narrator.hooked_tensors(event["on"])
    boxes = narrator.boxes(tensors)
    if tensors and not boxes:
        return None
    if not tensors and event.get("at") in narrator.graph.boxes:
        boxes = [event["at"]]
        narrator.state.add_hook(boxes[0], narrator.hook_name(event), repeat=False)
        if {"p": event["p"], **(narrator.raising_hook or {})} == event:
            narrator.state.set_received(boxes[0], event["p"], narrator.phrase("failed"))
    if kind == "tensor":
        boxes = boxes[:1]
        _show_received(narrator, event, boxes, got[0])
    printed, returned = _while_it_ran(narrator, event, boxes)
    clauses = ([narrator.phrase("prints", text=printed)] if printed else []) + returned
    who = {"who": _who(narrator, event)}
    if kind in ("tensor", "multi_grad"):
        clauses.insert(0, narrator.phrase("hook_gets", **who, got=narrator.values(got)))
        sentence = _clauses(narrator, clauses) + narrator.phrase("stop")
        if kind == "multi_grad":
            sentence = narrator.join("sentences", [sentence, narrator.phrase("no_effect")])
        return sentence, boxes
    sentence = _called(narrator, event, who)
    if clauses:
        sentence += narrator.phrase("and_it", clauses=_clauses(narrator, clauses))
    return sentence + narrator.phrase("stop"), boxes


def function_called(narrator: Narrator, event: Event) -> Narration:
    """A node called a function of the script, which may print something."""
    key = event.get("n")
    if key not in narrator.graph.boxes:
        return None
    parts = {"node": narrator.node(key), "name": narrator.hook_name(event)}
    if printed := _printed_first(narrator, list(_indices_within(narrator, event))):
        return narrator.phrase("called_and", **parts, text=printed), [key]
    return narrator.phrase("called", **parts), [key]


def _who(narrator: Narrator, event: Event) -> str:
    """A hook within a sentence: its kind, its name, and on what it is."""
    hook = {"kind": narrator.hook_kind(event["hook"]), "hook": narrator.hook_name(event)}
    several = isinstance(event.get("on"), list)
    target = "" if several or event["on"] == _EVERY_MODULE else hook_target(narrator, event)
    if event["on"] == _EVERY_MODULE and event.get("at"):
        target = hook_target(narrator, event)
    phrase = "hook_on" if target else "hook"
    return narrator.phrase(phrase, **hook, target=target).strip()


def _module(narrator: Narrator, name: object) -> str:
    return narrator.phrase("module", name=name)


def _called(narrator: Narrator, event: Event, who: dict[str, str]) -> str:
    """That a hook was called, and with what, without the end of the sentence."""
    kind, got = event["hook"], event.get("got") or []
    if kind == "post_accumulate":
        (tensor, *_) = narrator.hooked_tensors(event["on"])
        return narrator.phrase("hook_after", **who, name=narrator.name(tensor))
    phrase, placeholders = _MODULE_HOOKS.get(kind, ("hook_called", ()))
    if len(got) < len(placeholders) or not placeholders:
        return narrator.phrase("hook_called", **who)
    texts = (narrator.values([argument]) for argument in got)
    return narrator.phrase(phrase, **who, **dict(zip(placeholders, texts, strict=False)))


def _clauses(narrator: Narrator, clauses: Sequence[str]) -> str:
    """What a hook did one thing after another, in one sentence."""
    last = "and_does" if len(clauses) == 2 else "and_last_does"
    return narrator.enumeration(clauses, last, "does")


def _while_it_ran(narrator: Narrator, event: Event, boxes: Sequence[str]) -> tuple[str, list[str]]:
    """What a hook printed at first, and what it returned, if nothing else came in between: that is
    told after it."""
    events = narrator.trace.events
    within = list(_indices_within(narrator, event))
    printed = _printed_first(narrator, within)
    returned = partial(_returned, narrator, event, boxes)
    after = within[-1] + 1 if within else narrator.index + 1
    following = events[after] if after < len(events) else {"k": ""}
    raised = following["k"] == "error" and (
        ("at" in event and "p" in following) or _is_of(narrator, event, following)
    )
    if raised:
        return printed, []
    if within and within[-1] not in narrator.told:
        narrator.later[within[-1]] = partial(_returned_later, narrator, event, returned)
        return printed, []
    return printed, returned()


def _printed_first(narrator: Narrator, within: Sequence[int]) -> str:
    """What a function printed before anything else that is told came of it."""
    events = narrator.trace.events
    first = list(takewhile(lambda index: events[index]["k"] == "print", within))
    narrator.told.update(first)
    return listed_lines(narrator, printed_lines(events[index]["text"] for index in first))


def _returned_later(narrator: Narrator, event: Event, returned: partial) -> str:
    """The sentence on what a hook returned, after the steps that tell what it did."""
    clauses = returned()
    if not clauses:
        return ""
    return narrator.phrase("hook_then", hook=narrator.hook_name(event), clauses=clauses[0])


def _indices_within(narrator: Narrator, event: Event) -> Iterator[int]:
    """The indices of the events that came while a function ran, as far as they can be told apart
    from those after it: by their lines, and in a backward pass all that is printed."""
    events = narrator.trace.events
    for index in range(narrator.index + 1, len(events)):
        each = events[index]
        printed = each["k"] == "print" and ("at" in event or event["k"] == "call")
        if each["k"] in _NOT_WITHIN or not (printed or _is_of(narrator, event, each)):
            return
        yield index


def _is_of(narrator: Narrator, hook: Event, event: Event) -> bool:
    """Whether an event came from a line of the function that is a hook."""
    file = hook.get("file", "")
    if event.get("line") is None or event.get("file", "") != file:
        return False
    return event["line"] in narrator.titles.statements.lines_of_function(hook["line"], file)


def _returned(narrator: Narrator, event: Event, boxes: Sequence[str]) -> list[str]:
    """What a hook returned, as the part of a sentence that is told of it; the figure shows it from
    then on. None for hooks whose result does not matter."""
    given = event.get("ret")
    if event["hook"] == "tensor":
        if given is None:
            return [narrator.phrase("returns_nothing")]
        _show_received(narrator, event, boxes, given)
        return [narrator.phrase("returns", given=narrator.values([given]))]
    if given is None or event["hook"] not in _MODULE_HOOKS:
        return []
    if event["hook"] not in REPLACING_HOOKS:
        return [narrator.phrase("returns_value", given=narrator.values([given]))]
    for box in boxes:
        narrator.state.set_received(box, event["p"], _as_in_box(narrator, given))
    for edge, text in narrator.replaced.pop(event.get("at"), {}).items():
        narrator.state.set_sent(edge, event["p"], text)
    return [narrator.phrase("replaces", given=narrator.values([given]))]


def _as_in_box(narrator: Narrator, values: Value | list) -> str:
    """Gradients as the box of a node shows those that it received."""
    values = values if isinstance(values, list) else [values]
    if len(values) == 1 and isinstance(values[0], dict):
        return format_value(values[0], narrator.language)
    return format_values(values, narrator.language)


def _show_received(
    narrator: Narrator, event: Event, boxes: Sequence[str], value: Value | None
) -> None:
    """Show what a hook on a tensor gets or returns: as the gradient that its node receives, or
    beside the hook of a leaf, whose `.grad` is another thing."""
    number = event.get("p", 0)
    for box in boxes:
        if narrator.graph.boxes[box].kind != "leaf":
            narrator.state.set_received(box, number, format_value(value, narrator.language))
            continue
        before, after = event["got"][0], event.get("ret")
        if value is after and after is not None:
            texts = [on_one_line(format_value(each, narrator.language)) for each in (before, after)]
            if len(effect := " → ".join(texts)) <= _LONGEST_EFFECT:
                narrator.state.set_effect(box, narrator.hook_name(event), number, effect)
