"""Sentences about the backward pass: what nodes receive and pass on."""

from __future__ import annotations

from gradtrace.narrate.hooks import REPLACING_HOOKS
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.narrate.products import edge_label, format_product
from gradtrace.narrate.value_format import (
    format_number,
    format_value,
    on_one_line,
    without_shape,
)
from gradtrace.trace import Event
from gradtrace.values import scalar

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
    raising = narrator.raising_hook
    if "gout" not in event and raising and raising.get("at") == key:
        return sentence + narrator.phrase("stop"), [key]
    if "gout" not in event:
        narrator.state.set_received(key, number, narrator.phrase("failed"))
        return sentence + narrator.phrase("fails") + narrator.phrase("stop"), [key]
    is_replaced = _is_replaced(narrator, key)
    sent, touched = _sent(narrator, key, event, is_replaced)
    sent = "" if is_replaced else sent
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


def _sent(narrator: Narrator, key: str, event: Event, is_replaced: bool) -> tuple[str, list[str]]:
    """The part of a sentence on what a node passed to which nodes, and the edges it went along.

    Where a hook on a module replaces it, the edges show it once the hook has returned.
    """
    identity = len(event["gin"]) == 1 and narrator.trace.nodes[key]["op"] in _IDENTITY_NODES
    touched, unchanged, captured, captures_part = [], [], [], False
    multiplied: dict[str, list[str]] = {}
    changed: dict[str, list[str]] = {}
    for edge in narrator.graph.edges_into.get(key, ()):
        if edge.kind != "gradient" or edge.slot >= len(event["gout"]):
            continue
        gradient = event["gout"][edge.slot]
        if gradient is None:
            continue
        touched.append(edge.key)
        narrator.arrived.setdefault((edge.source, event["p"]), []).append(gradient)
        text = narrator.value(gradient)
        if edge.summed and is_replaced:
            narrator.replaced.setdefault(key, {})[edge.key] = without_shape(text)
        elif edge.summed:
            narrator.state.set_sent(edge.key, event["p"], without_shape(text))
        local = next(iter(event.get("local", ())[edge.slot : edge.slot + 1]), None)
        if local is not None:
            narrator.state.set_factor(edge.key, edge_label(local, narrator.language))
            text = format_product(event["gin"][0], local, gradient, narrator.language)
        if edge.source in narrator.captured:
            name = narrator.graph.boxes[edge.source].title
            captured.append(narrator.phrase("captured", name=name, value=text))
            captures_part = captures_part or narrator.captured[edge.source] > 1
        elif identity and local is not None:
            multiplied.setdefault(text, []).append(narrator.node(edge.source))
        elif identity and gradient == event["gin"][0]:
            unchanged.append(narrator.node(edge.source))
        else:
            changed.setdefault(edge.source, []).append(text)
    phrases = []
    if unchanged:
        nodes = narrator.enumeration(dict.fromkeys(unchanged))
        phrases.append(narrator.phrase("passes_on", nodes=nodes))
    for text, nodes in multiplied.items():
        parts = {"values": text, "node": narrator.enumeration(dict.fromkeys(nodes))}
        phrases.append(narrator.phrase("gives", **parts))
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
    for event in narrator.later_events():
        if event["k"] in ("node", "acc", "backward_end"):
            return False
        replaces = event["k"] == "hook" and event["hook"] in REPLACING_HOOKS
        if replaces and event.get("at") == key and event.get("ret") is not None:
            return True
    return False
