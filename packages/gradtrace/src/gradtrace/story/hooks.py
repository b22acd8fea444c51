"""Sentences about hooks that were called: their arguments, output and result; and about other
functions of the script that a node calls.

The sentence of a hook follows this order. Other events while it runs (a forward hook makes tensors)
have steps of their own; the hook's result comes after the last of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from gradtrace.story.effects import REPLACING_HOOKS
from gradtrace.story.narrator import Narrator, listed_lines, printed_lines
from gradtrace.trace import Event

_MODULE_HOOKS = {
    "full_backward": ("hook_module", ("inputs", "outputs")),
    "backward": ("hook_module", ("inputs", "outputs")),
    "full_backward_pre": ("hook_before", ("outputs",)),
    "forward": ("hook_forward", ("inputs", "outputs")),
    "forward_pre": ("hook_forward_pre", ("inputs",)),
}
"""The phrase of each kind of hook on a module, and its placeholders for the hook's arguments."""
_EVERY_MODULE = "every module"
"""The recorded module name of a hook on all modules."""


def hook_target(narrator: Narrator, event: Event) -> str:
    """The target of a hook, within a sentence; "" if that has no name."""
    on, tensors = event.get("on"), narrator.effects.hooked_tensors(event.get("on"))
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


def hook_called(narrator: Narrator, event: Event) -> str | None:
    """A hook was called: its arguments, its output, and its result."""
    effects, kind, got = narrator.effects, event["hook"], event.get("got") or []
    if effects.hooked_tensors(event["on"]) and not effects.hooked_boxes(event):
        return None
    printed = _printed_first(narrator, effects.within(narrator.index, event))
    clauses = [narrator.phrase("prints", text=printed)] if printed else []
    at, returned = effects.returns_at(narrator.index, event), _returned(narrator, event)
    if at == narrator.index:
        clauses += returned
    elif at is not None and returned:
        hook = effects.hook_name(event)
        narrator.later[at] = narrator.phrase("hook_then", hook=hook, clauses=returned[0])
    who = {"who": _who(narrator, event)}
    if kind in ("tensor", "multi_grad"):
        clauses.insert(0, narrator.phrase("hook_gets", **who, got=narrator.values(got)))
        sentence = _clauses(narrator, clauses) + narrator.phrase("stop")
        if kind == "multi_grad":
            sentence = narrator.join("sentences", [sentence, narrator.phrase("no_effect")])
        return sentence
    sentence = _called(narrator, event, who)
    if clauses:
        sentence += narrator.phrase("and_it", clauses=_clauses(narrator, clauses))
    return sentence + narrator.phrase("stop")


def function_called(narrator: Narrator, event: Event) -> str | None:
    """A node called a function of the script, which may print something."""
    key = event.get("n")
    if key not in narrator.graph.boxes:
        return None
    parts = {"node": narrator.node(key), "name": narrator.effects.hook_name(event)}
    if printed := _printed_first(narrator, narrator.effects.within(narrator.index, event)):
        return narrator.phrase("called_and", **parts, text=printed)
    return narrator.phrase("called", **parts)


def _who(narrator: Narrator, event: Event) -> str:
    """A hook within a sentence: its kind, its name, and its target."""
    hook = {"kind": narrator.hook_kind(event["hook"]), "hook": narrator.effects.hook_name(event)}
    several = isinstance(event.get("on"), list)
    target = "" if several or event["on"] == _EVERY_MODULE else hook_target(narrator, event)
    if event["on"] == _EVERY_MODULE and event.get("at"):
        target = hook_target(narrator, event)
    phrase = "hook_on" if target else "hook"
    return narrator.phrase(phrase, **hook, target=target).strip()


def _module(narrator: Narrator, name: object) -> str:
    return narrator.phrase("module", name=name)


def _called(narrator: Narrator, event: Event, who: dict[str, str]) -> str:
    """That a hook was called, and its arguments, without the end of the sentence."""
    kind, got = event["hook"], event.get("got") or []
    if kind == "post_accumulate":
        (tensor, *_) = narrator.effects.hooked_tensors(event["on"])
        return narrator.phrase("hook_after", **who, name=narrator.name(tensor))
    phrase, placeholders = _MODULE_HOOKS.get(kind, ("hook_called", ()))
    if len(got) < len(placeholders) or not placeholders:
        return narrator.phrase("hook_called", **who)
    texts = (narrator.values([argument]) for argument in got)
    return narrator.phrase(phrase, **who, **dict(zip(placeholders, texts, strict=False)))


def _clauses(narrator: Narrator, clauses: Sequence[str]) -> str:
    """The consecutive actions of a hook, in one sentence."""
    last = "and_does" if len(clauses) == 2 else "and_last_does"
    return narrator.enumeration(clauses, last, "does")


def _printed_first(narrator: Narrator, within: Sequence[int]) -> str:
    """The output of a function before any other event."""
    events = narrator.trace.events
    first = list(takewhile(lambda index: events[index]["k"] == "print", within))
    narrator.covered.update(first)
    return listed_lines(narrator, printed_lines(events[index]["text"] for index in first))


def _returned(narrator: Narrator, event: Event) -> list[str]:
    """The result of a hook, as a part of the sentence; nothing for hooks whose result is
    ignored."""
    given = event.get("ret")
    if event["hook"] == "tensor":
        if given is None:
            return [narrator.phrase("returns_nothing")]
        return [narrator.phrase("returns", given=narrator.values([given]))]
    if given is None or event["hook"] not in _MODULE_HOOKS:
        return []
    key = "replaces" if event["hook"] in REPLACING_HOOKS else "returns_value"
    return [narrator.phrase(key, given=narrator.values([given]))]
