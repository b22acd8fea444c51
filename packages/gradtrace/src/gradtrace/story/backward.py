"""Sentences about the backward pass: what nodes receive and pass on."""

from __future__ import annotations

from collections.abc import Sequence

from gradtrace.graph.cuts import Cut
from gradtrace.graph.parameters import Parameter
from gradtrace.story.narrator import Narrator
from gradtrace.story.value_text import (
    format_number,
    format_product,
    on_one_line,
)
from gradtrace.trace import Event
from gradtrace.values import scalar

_IDENTITY_NODES = ("AddBackward0", "CloneBackward0", "BackwardHookFunctionBackward")
"""Nodes that compute nothing: they pass on what they received."""


def pass_begins(narrator: Narrator, event: Event) -> str | None:
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
    if narrator.effects.state.number_passes:
        return narrator.phrase("backward_n", number=event["p"], **parts)
    return narrator.phrase("backward", **parts)


def node_ran(narrator: Narrator, event: Event) -> str | None:
    """A node ran: what it received, and what it passed on to which nodes."""
    key = event["n"]
    if key not in narrator.graph.boxes:
        return None
    got = _received(narrator, key, event)
    sentence = narrator.phrase("receives", node=narrator.node(key), got=got)
    if "gout" in event:
        sent = _sent(narrator, key, event)
        sentence += "" if narrator.effects.is_replaced(narrator.index, key) else sent
    elif (narrator.effects.raising_hook or {}).get("at") != key:
        sentence += narrator.phrase("fails")
    return sentence + narrator.phrase("stop")


def gradient_accumulated(narrator: Narrator, event: Event) -> str | None:
    """A gradient reached a leaf tensor."""
    key = event["n"]
    box = narrator.graph.boxes.get(key)
    if box is None:
        return None
    before, after = narrator.value(event.get("before")), narrator.value(event.get("after"))
    phrase = "filled" if event.get("before") is None else "added"
    if event.get("after") is None:
        phrase = "collected"
    elif before == after:
        phrase = "kept"
    got = _received(narrator, key, event)
    parts = {"node": narrator.node(key), "name": box.title, "got": got}
    return narrator.phrase(phrase, **parts, before=before, after=after)


def _captured(narrator: Narrator, event: Event) -> dict[str, int]:
    """The boxes of the inputs of `autograd.grad`, whose own nodes do not run, with the number of
    gradients that each receives."""
    if event.get("api") != "grad":
        return {}
    events = (e for e in narrator.trace.events if e["k"] in ("node", "acc"))
    sent = {e["n"]: e.get("gout", []) for e in events if e["p"] == event["p"]}
    inputs = set(narrator.effects.boxes(event.get("inputs") or []))
    found = dict.fromkeys(inputs - sent.keys(), 0)
    for edge in narrator.graph.edges:
        gradients = sent.get(edge.target, []) if edge.kind == "gradient" else []
        if edge.source in found and any(gradients[edge.slot : edge.slot + 1]):
            found[edge.source] += 1
    return found


def _sent(narrator: Narrator, key: str, event: Event) -> str:
    """The part of a sentence about the gradients that a node sent to other nodes."""
    identity = len(event["gin"]) == 1 and narrator.trace.nodes[key]["op"] in _IDENTITY_NODES
    unchanged, captured, captures_part = [], [], False
    multiplied: dict[str, list[str]] = {}
    changed: dict[str, list[str]] = {}
    for edge, gradient, local in narrator.effects.sent(event):
        narrator.arrived.setdefault((edge.source, event["p"]), []).append(gradient)
        text = narrator.value(gradient)
        if local is not None:
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
    return text


def _received(narrator: Narrator, key: str, event: Event) -> str:
    """The gradient that a node received; if several edges brought it, written as a sum."""
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


MAX_NAMES = 3
"""The number of parameters that a sentence names; further ones are counted."""


def pass_ended(narrator: Narrator, _: Event) -> str | None:
    """A backward pass ended; after the last one the parameters are explained."""
    if narrator.index != narrator.effects.last_pass_end or not narrator.graph.explained:
        return None
    alike: dict[tuple, list[Parameter]] = {}
    for parameter in narrator.graph.explained:
        why = parameter.outcome, parameter.cut, _is_of_idle_module(parameter)
        alike.setdefault(why, []).append(parameter)
    return narrator.join("sentences", (_sentence(narrator, group) for group in alike.values()))


def _sentence(narrator: Narrator, alike: Sequence[Parameter]) -> str:
    """The sentence about parameters with the same reason."""
    names, first = _enumerated(narrator, [each.name for each in alike], "parameter"), alike[0]
    if first.outcome == "detached":
        cut = _cut(narrator, first.cut) if first.cut else narrator.phrase("cut_unknown")
        return narrator.phrase("said_detached", names=names, cut=cut)
    if first.outcome == "unused" and _is_of_idle_module(first):
        modules = dict.fromkeys(each.name.rpartition(".")[0] for each in alike)
        called = _enumerated(narrator, list(modules), "module")
        return narrator.phrase("said_not_called", names=names, modules=called)
    return narrator.phrase(f"said_{first.outcome}", names=names)


def _enumerated(narrator: Narrator, names: Sequence[str], kind: str) -> str:
    """Names in an enumeration; if there are many, the first, and the number of others."""
    texts = [narrator.phrase("tensor", name=name or "?").strip() for name in names]
    if len(texts) > MAX_NAMES + 1:
        shown = narrator.join("and", texts[:MAX_NAMES])
        count = len(texts) - MAX_NAMES
        return narrator.phrase(f"and_other_{kind}s", names=shown, count=count)
    return narrator.enumeration(texts)


def _cut(narrator: Narrator, cut: Cut) -> str:
    """The operation that cut them off, and where."""
    source = " ".join(cut.source.split()) or cut.op
    place = "place_in" if cut.file else "place"
    where = narrator.phrase(place, line=cut.line or "?", **({"file": cut.file} if cut.file else {}))
    return narrator.phrase(f"cut_{cut.how}", source=source, op=cut.op, where=where)


def _is_of_idle_module(parameter: Parameter) -> bool:
    return "." in parameter.name and not parameter.module_ran
