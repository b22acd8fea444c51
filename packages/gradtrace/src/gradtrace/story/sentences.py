"""The sentence about each kind of event: operations, hooks, backward passes, updates, output.

The sentence of a hook says what it got, printed and returned, in this order. Other events while it
runs (a forward hook makes tensors) have steps of their own; the hook's result comes after the last
of them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from gradtrace.graph.cuts import Cut
from gradtrace.graph.parameters import Parameter
from gradtrace.graph.titles import is_module_boundary, short_expression
from gradtrace.story.effects import REPLACING_HOOKS
from gradtrace.story.narrator import MAX_LINES, Narrator, listed_lines, printed_lines
from gradtrace.story.value_text import (
    format_number,
    format_product,
    on_one_line,
)
from gradtrace.trace import Event
from gradtrace.values import scalar


def operation(narrator: Narrator, event: Event) -> str | None:
    """An operation adds a node, makes a tensor without one, or changes one in place."""
    if made := narrator.effects.nodes_made(event):
        return _nodes_added(narrator, event, made[0])
    out = event["out"][0]
    box = narrator.graph.box_of(out["t"])
    if box is None or "n" in out:
        return None
    name, text = narrator.name(out["t"]), narrator.value(out.get("value"))
    if out.get("inplace"):
        source = _statement(narrator, event)
        return narrator.phrase("in_place", source=source, name=name, value=text)
    edges_into = narrator.graph.edges_into.get(box, ())
    if event["ins"] and any(edge.kind == "cut" for edge in edges_into):
        return narrator.phrase("cut", source=_expression(narrator, event), value=text)
    kind = "leaf" if narrator.graph.boxes[box].kind == "leaf" else "constant"
    return narrator.phrase(kind, name=name, value=text)


def hook_registered(narrator: Narrator, event: Event) -> str | None:
    """A hook was registered, or `retain_grad` was called."""
    on, kind = event.get("on"), event["hook"]
    tensors = narrator.effects.hooked_tensors(on)
    if tensors and not narrator.effects.boxes(tensors):
        return None
    if kind == "retain_grad":
        return narrator.phrase("retain_grad", name=narrator.name(tensors[0]))
    names = (narrator.phrase("tensor", name=narrator.name(t)) for t in tensors)
    target = narrator.enumeration(names) if tensors else hook_target(narrator, event)
    parts = {"kind": narrator.hook_kind(kind), "hook": narrator.effects.hook_name(event)}
    return narrator.phrase("registered", **parts, target=target)


def _nodes_added(narrator: Narrator, event: Event, made: str) -> str:
    new = narrator.effects.new
    if is_module_boundary(narrator.trace, made):
        box = narrator.graph.boxes[made]
        return narrator.phrase(f"border_{box.side}", node=box.node, module=box.title)
    counts = Counter(narrator.trace.nodes[key]["op"] for key in new)
    nodes = narrator.enumeration(
        op if count == 1 else narrator.phrase("value_count", count=count, number=op)
        for op, count in counts.items()
    )
    value = narrator.values([out.get("value") for out in event["out"]])
    joins = narrator.phrase("joins_n" if len(new) > 1 else "joins", nodes=nodes)
    source = _expression(narrator, event)
    if narrator.index in narrator.titles.insides:
        return narrator.phrase("op_inside", source=source, value=value, joins=joins)
    if event["out"][0].get("inplace"):
        parts = {"source": _statement(narrator, event), "value": value, "joins": joins}
        return narrator.phrase("in_place_node", name=narrator.name(event["out"][0]["t"]), **parts)
    return narrator.phrase("op", source=source, value=value, nodes=nodes)


def _expression(narrator: Narrator, event: Event) -> str:
    """The expression of an operation, with the name given to its result."""
    source = " ".join((event.get("src") or short_expression(event)).split())
    tensor = event["out"][0]["t"]
    named = narrator.trace.tensors[tensor].get("names") and len(event["out"]) == 1
    return f"{narrator.name(tensor)} = {source}" if named else source


def _statement(narrator: Narrator, event: Event) -> str:
    """The text of an in-place operation; for `z[0] = 5.0` the event has only the left side."""
    source = " ".join((event.get("src") or short_expression(event)).split())
    lines = narrator.trace.source.splitlines()
    if event["op"] != "setitem" or not 0 < event.get("line", 0) <= len(lines):
        return source
    line = lines[event["line"] - 1].strip()
    try:
        (statement,) = ast.parse(line).body
    except (SyntaxError, ValueError):
        return source
    whole = ast.get_source_segment(line, statement) or ""
    return whole if isinstance(statement, ast.Assign) and whole.startswith(source) else source


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
    if on == _EVERY_MODULE:
        return narrator.phrase("every_module")
    return narrator.phrase("module", name=on)


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
    """The result of a hook, as a part of the sentence; nothing where it is ignored."""
    given = event.get("ret")
    if event["hook"] == "tensor":
        if given is None:
            return [narrator.phrase("returns_nothing")]
        return [narrator.phrase("returns", given=narrator.values([given]))]
    if given is None or event["hook"] not in _MODULE_HOOKS:
        return []
    key = "replaces" if event["hook"] in REPLACING_HOOKS else "returns_value"
    return [narrator.phrase(key, given=narrator.values([given]))]


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
    events = narrator.trace.events
    for index in range(narrator.index + 1, len(events)):
        following = events[index]
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
