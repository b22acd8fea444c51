"""Sentences about the backward pass: what nodes receive and pass on, which hooks are called."""

from __future__ import annotations

from itertools import islice, pairwise

from gradtrace.narrate.narrator import Narration, Narrator, hook_name
from gradtrace.narrate.value_format import (
    format_number,
    format_value,
    on_one_line,
    scalar,
    without_shape,
)
from gradtrace.trace import Event, Value

_MODULE_HOOKS = {
    "full_backward": ("hook_module", ("inputs", "outputs")),
    "backward": ("hook_module", ("inputs", "outputs")),
    "full_backward_pre": ("hook_before", ("outputs",)),
    "forward": ("hook_forward", ("inputs", "outputs")),
    "forward_pre": ("hook_forward_pre", ("inputs",)),
}
"""The phrase of each kind of hook on a module, and its placeholders for what the hook gets."""
_REPLACING_HOOKS = ("full_backward", "full_backward_pre", "backward")
"""Hooks on modules whose result goes on in place of the gradient."""
_IDENTITY_NODES = ("AddBackward0", "CloneBackward0", "BackwardHookFunctionBackward")
"""Nodes that compute nothing: they pass on what they received."""


def pass_begins(narrator: Narrator, event: Event) -> Narration:
    """A backward pass begins."""
    narrator.captured = _captured(narrator, event)
    box = narrator.graph.box_of(event["roots"][0])
    if box is None:
        return None
    seed = event["seed"][0]
    parts = {
        "name": narrator.name(event["roots"][0]),
        "node": narrator.graph.boxes[box].node,
        "seed": "1" if seed is None else narrator.value(seed),
    }
    if narrator.state.number_passes:
        return narrator.phrase("backward_n", number=event["p"], **parts), [box]
    return narrator.phrase("backward", **parts), [box]


def node_ran(narrator: Narrator, event: Event) -> Narration:
    """A node ran: what it received, and what it passed on to which nodes."""
    key, number = event["n"], event["p"]
    if key not in narrator.graph.boxes:
        return None
    received, single = event["gin"], len(event["gin"]) == 1
    text = format_value(received[0], narrator.language) if single else narrator.values(received)
    narrator.state.set_received(key, number, text)
    got = _received(narrator, key, event)
    sentence = narrator.phrase("receives", node=narrator.node(key), got=got)
    raising = _raising_hook(narrator)
    if "gout" not in event and raising and raising.get("at") == key:
        return sentence + narrator.phrase("stop"), [key]
    if "gout" not in event:
        narrator.state.set_received(key, number, narrator.phrase("failed"))
        return sentence + narrator.phrase("fails") + narrator.phrase("stop"), [key]
    sent, touched = _sent(narrator, key, event)
    sent = "" if _is_replaced(narrator, key) else sent
    return sentence + sent + narrator.phrase("stop"), [key, *touched]


def gradient_accumulated(narrator: Narrator, event: Event) -> Narration:
    """A gradient reached a leaf tensor."""
    key = event["n"]
    box = narrator.graph.boxes.get(key)
    if box is None:
        return None
    before, after = narrator.value(event.get("before")), narrator.value(event.get("after"))
    narrator.state.set_grad(key, before)
    narrator.state.set_grad(key, format_value(event.get("after"), narrator.language))
    phrase = "filled" if event.get("before") is None else "added"
    if event.get("after") is None:
        phrase = "collected"
    elif before == after:
        phrase = "kept"
    got = _received(narrator, key, event)
    parts = {"node": narrator.node(key), "name": box.title, "got": got}
    return narrator.phrase(phrase, **parts, before=before, after=after), [key]


def hook_called(narrator: Narrator, event: Event) -> Narration:
    """A hook was called: what it got, and what it returned."""
    kind, got, name = event["hook"], event.get("got") or [], hook_name(event.get("fn"))
    tensors = narrator.hooked_tensors(event.get("on"))
    boxes = narrator.boxes(tensors)
    if tensors and not boxes:
        return None
    hook = {"kind": narrator.hook_kind(kind), "hook": name}
    if kind == "tensor":
        return _tensor_hook_called(narrator, event, hook, boxes[:1])
    if kind == "post_accumulate":
        return narrator.phrase("hook_after", **hook, name=narrator.name(tensors[0])), boxes
    if kind == "multi_grad":
        return narrator.phrase("hook_multi", **hook, got=narrator.values(got)), boxes
    if not tensors and event.get("at") in narrator.graph.boxes:
        boxes = [event["at"]]
        narrator.state.add_hook(boxes[0], name, repeat=False)
        if {"p": event["p"], **(_raising_hook(narrator) or {})} == event:
            narrator.state.set_received(boxes[0], event["p"], narrator.phrase("failed"))
    phrase, placeholders = _MODULE_HOOKS.get(kind, ("hook_called", ()))
    if len(got) < len(placeholders) or not placeholders:
        return narrator.phrase("hook_called", **hook), boxes
    texts = (narrator.values([argument]) for argument in got)
    sentence = narrator.phrase(phrase, **hook, **dict(zip(placeholders, texts, strict=False)))
    replaces = kind in _REPLACING_HOOKS
    if event.get("ret") is not None and not (replaces and _returns_later(narrator)):
        phrase = "replaces" if replaces else "returns_value"
        returned = narrator.phrase(phrase, given=narrator.values([event["ret"]]))
        sentence += narrator.phrase("and_it", returned=returned)
    return sentence + narrator.phrase("stop"), boxes


def returned_after_output(narrator: Narrator, event: Event) -> tuple[str, str] | None:
    """The hook whose output ends with this event, and what it returned; None where no hook of the
    backward pass printed this, or nothing is told of what it returned."""
    index = narrator.index
    while index and narrator.trace.events[index]["k"] == "print":
        index -= 1
    caller = narrator.trace.events[index]
    if caller["k"] != "hook" or _returns_later(narrator):
        return None
    name = hook_name(caller.get("fn"))
    if caller["hook"] == "tensor":
        boxes = narrator.boxes(narrator.hooked_tensors(caller.get("on")))[:1]
        return (name, _returned(narrator, {"p": event["p"], **caller}, boxes)) if boxes else None
    if caller["hook"] in _REPLACING_HOOKS and caller.get("ret") is not None:
        return name, narrator.phrase("replaces", given=narrator.values([caller["ret"]]))
    return None


def function_called(narrator: Narrator, event: Event) -> Narration:
    """A node called a function of the script."""
    key = event.get("n")
    if key not in narrator.graph.boxes:
        return None
    return narrator.phrase("called", node=narrator.node(key), name=event["fn"]), [key]


def _captured(narrator: Narrator, event: Event) -> dict[str, int]:
    """The boxes of the inputs of `autograd.grad`, whose own nodes do not run, with the number of
    gradients that come to each."""
    if event.get("api") != "grad":
        return {}
    events = (e for e in narrator.trace.events if e["k"] in ("node", "acc"))
    sent = {e["n"]: e.get("gout", []) for e in events if e["p"] == event["p"]}
    inputs = set(narrator.boxes(event.get("inputs") or []))
    found = dict.fromkeys(inputs - sent.keys(), 0)
    for edge in narrator.graph.edges:
        gradients = sent.get(edge.target, []) if edge.kind == "gradient" else []
        if edge.source in found and any(gradients[edge.slot : edge.slot + 1]):
            found[edge.source] += 1
    return found


def _sent(narrator: Narrator, key: str, event: Event) -> tuple[str, list[str]]:
    """The part of a sentence on what a node passed to which nodes, and the edges it went along."""
    identity = len(event["gin"]) == 1 and narrator.trace.nodes[key]["op"] in _IDENTITY_NODES
    touched, unchanged, captured, captures_part = [], [], [], False
    changed: dict[str, list[str]] = {}
    for edge in narrator.graph.edges:
        if edge.target != key or edge.kind != "gradient" or edge.slot >= len(event["gout"]):
            continue
        gradient = event["gout"][edge.slot]
        if gradient is None:
            continue
        touched.append(edge.key)
        narrator.arrived.setdefault((edge.source, event["p"]), []).append(gradient)
        text = narrator.value(gradient)
        if edge.summed:
            narrator.state.set_sent(edge.key, event["p"], without_shape(text))
        if edge.source in narrator.captured:
            name = narrator.graph.boxes[edge.source].title
            captured.append(narrator.phrase("captured", name=name, value=text))
            captures_part = captures_part or narrator.captured[edge.source] > 1
        elif identity and gradient == event["gin"][0]:
            unchanged.append(narrator.node(edge.source))
        else:
            changed.setdefault(edge.source, []).append(text)
    phrases = []
    if unchanged:
        nodes = narrator.enumeration(dict.fromkeys(unchanged))
        phrases.append(narrator.phrase("passes_on", nodes=nodes))
    for source, texts in changed.items():
        parts = {"values": narrator.enumeration(texts), "node": narrator.node(source)}
        phrases.append(narrator.phrase("gives", **parts))
    text = narrator.enumeration(phrases, "and_gives", "between_gives") if phrases else ""
    text = narrator.phrase("passes", given=text) if text else ""
    if captured:
        phrase = "captures_n" if len(captured) > 1 else "captures"
        phrase = "captures_part" if captures_part else phrase
        text += narrator.phrase(phrase, given=narrator.enumeration(captured))
    return text, touched


def _received(narrator: Narrator, key: str, event: Event) -> str:
    """The gradient that a node received; where several edges brought it, as the sum that it is."""
    received, parts = event["gin"], narrator.arrived.get((key, event["p"]), [])
    text = narrator.values(received)
    total = scalar(received[0]) if len(received) == 1 else None
    numbers = [scalar(part) for part in parts]
    if len(parts) < 2 or total is None or None in numbers:
        return text
    if abs(sum(numbers) - total) > 1e-3 * abs(total) + 1e-6:
        return text  # a hook changed it, or the numbers are rounded
    first, *others = (format_number(number) for number in numbers)
    terms = (f" − {one[1:]}" if one.startswith("−") else f" + {one}" for one in others)
    return f"{first}{''.join(terms)} = {on_one_line(text)}"


def _is_replaced(narrator: Narrator, key: str) -> bool:
    """Whether a hook on a module, called after its node, puts another gradient in its place."""
    for event in islice(narrator.trace.events, narrator.index + 1, None):
        if event["k"] in ("node", "acc", "backward_end"):
            return False
        replaces = event["k"] == "hook" and event["hook"] in _REPLACING_HOOKS
        if replaces and event.get("at") == key and event.get("ret") is not None:
            return True
    return False


def _raising_hook(narrator: Narrator) -> Event | None:
    """The hook that raised. Those of a node are called after it, so the node itself ran."""
    for before, event in pairwise(narrator.trace.events):
        if event["k"] == "error" and "p" in event and before["k"] == "hook":
            return before
    return None


def _tensor_hook_called(
    narrator: Narrator, event: Event, hook: dict, boxes: list[str]
) -> Narration:
    got = narrator.values(event["got"])
    _show_received(narrator, event, boxes, event["got"][0])
    if _returns_later(narrator):
        return narrator.phrase("hook_gets", **hook, got=got), boxes
    returned = _returned(narrator, event, boxes)
    return narrator.phrase("hook_gets_and", **hook, got=got, returned=returned), boxes


def _returned(narrator: Narrator, event: Event, boxes: list[str]) -> str:
    """The part of a sentence on what a hook on a tensor returned, which the figure shows then."""
    if event.get("ret") is None:
        return narrator.phrase("returns_nothing")
    _show_received(narrator, event, boxes, event["ret"])
    return narrator.phrase("returns", given=narrator.values([event["ret"]]))


def _show_received(narrator: Narrator, event: Event, boxes: list[str], value: Value) -> None:
    for box in boxes:
        if narrator.graph.boxes[box].kind != "leaf":
            text = format_value(value, narrator.language)
            narrator.state.set_received(box, event.get("p", 0), text)


def _returns_later(narrator: Narrator) -> bool:
    """Whether the hook that is running has not returned yet: it prints next, or raises."""
    for event in islice(narrator.trace.events, narrator.index + 1, None):
        if event["k"] != "print" or event["text"].strip():
            return event["k"] in ("print", "error")
    return False
