"""Sentences about the forward pass: tensors made, nodes added to the graph, hooks registered."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from gradtrace.graph.titles import is_module_boundary, short_expression
from gradtrace.story.hooks import hook_target
from gradtrace.story.narrator import Narrator
from gradtrace.trace import Event


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
    nodes = narrator.enumeration(_counted(narrator, new))
    value = narrator.values([out.get("value") for out in event["out"]])
    joins = narrator.phrase("joins_n" if len(new) > 1 else "joins", nodes=nodes)
    source = _expression(narrator, event)
    if narrator.index in narrator.titles.insides:
        return narrator.phrase("op_inside", source=source, value=value, joins=joins)
    if event["out"][0].get("inplace"):
        parts = {"source": _statement(narrator, event), "value": value, "joins": joins}
        return narrator.phrase("in_place_node", name=narrator.name(event["out"][0]["t"]), **parts)
    return narrator.phrase("op", source=source, value=value, nodes=nodes)


def _counted(narrator: Narrator, nodes: Sequence[str]) -> list[str]:
    """The names of nodes, each once, with their counts."""
    counts = Counter(narrator.trace.nodes[key]["op"] for key in nodes)
    return [
        op if count == 1 else narrator.phrase("value_count", count=count, number=op)
        for op, count in counts.items()
    ]


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
