"""Sentences about the forward pass: tensors made, nodes added to the graph, hooks registered."""

from __future__ import annotations

import ast
from collections import Counter

from gradtrace.graph.titles import is_module_boundary, short_expression
from gradtrace.narrate.hooks import hook_target
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.narrate.value_format import format_value
from gradtrace.trace import Event


def operation(narrator: Narrator, event: Event) -> Narration:
    """An operation adds a node, makes a tensor without one, or changes one in place."""
    made = [out["n"] for out in event["out"] if out.get("n") in narrator.graph.boxes]
    if made:
        return _nodes_added(narrator, event, list(dict.fromkeys(made)))
    out = event["out"][0]
    box = narrator.graph.box_of(out["t"])
    if box is None or "n" in out:
        return None
    text = narrator.value(out.get("value"))
    if out.get("inplace"):
        parts = {"source": _statement(narrator, event), "name": narrator.name(out["t"])}
        _show(narrator, box, out, initial=not narrator.state.has_value(box))
        return narrator.phrase("in_place", **parts, value=text), [box]
    _show(narrator, box, out, initial=True)
    edges_into = narrator.graph.edges_into.get(box, ())
    if event["ins"] and any(edge.kind == "cut" for edge in edges_into):
        return narrator.phrase("cut", source=_expression(narrator, event), value=text), [box]
    kind = "leaf" if narrator.graph.boxes[box].kind == "leaf" else "constant"
    return narrator.phrase(kind, name=narrator.name(out["t"]), value=text), [box]


def hook_registered(narrator: Narrator, event: Event) -> Narration:
    """A hook was registered, or a gradient is to be kept."""
    on, kind = event.get("on"), event["hook"]
    tensors = narrator.hooked_tensors(on)
    boxes = narrator.boxes(tensors)
    if tensors and not boxes:
        return None
    if kind == "retain_grad":
        return narrator.phrase("retain_grad", name=narrator.name(tensors[0])), boxes
    hook = narrator.hook_name(event)
    for box in boxes:
        narrator.state.add_hook(box, hook)
    names = (narrator.phrase("tensor", name=narrator.name(t)) for t in tensors)
    target = narrator.enumeration(names) if tensors else hook_target(narrator, event)
    parts = {"kind": narrator.hook_kind(kind), "hook": hook, "target": target}
    return narrator.phrase("registered", **parts), boxes


def _show(narrator: Narrator, box: str, holder: dict, initial: bool = False) -> None:
    """Show the "value" of an output or a node in its box."""
    if holder.get("value"):
        narrator.state.set_value(box, format_value(holder["value"], narrator.language), initial)
    if narrator.graph.boxes[box].kind == "leaf":
        narrator.state.init_grad(box)


def _nodes_added(narrator: Narrator, event: Event, made: list[str]) -> Narration:
    used = narrator.show_first_values(event["ins"])
    for key in made:
        values = [out.get("value") for out in event["out"] if out.get("n") == key]
        single = len(values) == 1
        text = format_value(values[0], narrator.language) if single else narrator.values(values)
        narrator.state.set_value(key, text)
    internal = [key for node in made for key in _internal_nodes(narrator, node)]
    for key in internal:
        _show(narrator, key, narrator.trace.nodes[key])
    new = (*internal, *made)
    edges = [edge.key for key in new for edge in narrator.graph.edges_into.get(key, ())]
    edges.sort(key=lambda key: int(key[1:]))
    touched = [*used, *edges, *new]
    if is_module_boundary(narrator.trace, made[0]):
        box = narrator.graph.boxes[made[0]]
        return narrator.phrase(f"border_{box.side}", node=box.node, module=box.title), touched
    nodes = narrator.enumeration(_counted(narrator, new))
    value = narrator.values([out.get("value") for out in event["out"]])
    joins = narrator.phrase("joins_n" if len(new) > 1 else "joins", nodes=nodes)
    source = _expression(narrator, event)
    if narrator.index in narrator.titles.insides:
        return narrator.phrase("op_inside", source=source, value=value, joins=joins), touched
    if event["out"][0].get("inplace"):
        parts = {"source": _statement(narrator, event), "value": value, "joins": joins}
        name = narrator.name(event["out"][0]["t"])
        return narrator.phrase("in_place_node", name=name, **parts), touched
    return narrator.phrase("op", source=source, value=value, nodes=nodes), touched


def _counted(narrator: Narrator, nodes: list[str]) -> list[str]:
    """The names of nodes, each once, with how many of them there are."""
    counts = Counter(narrator.trace.nodes[key]["op"] for key in nodes)
    return [
        op if count == 1 else narrator.phrase("value_count", count=count, number=op)
        for op, count in counts.items()
    ]


def _expression(narrator: Narrator, event: Event) -> str:
    """The expression of an operation, with the name that was given to what it made."""
    source = " ".join((event.get("src") or short_expression(event)).split())
    tensor = event["out"][0]["t"]
    named = narrator.trace.tensors[tensor].get("names") and len(event["out"]) == 1
    return f"{narrator.name(tensor)} = {source}" if named else source


def _statement(narrator: Narrator, event: Event) -> str:
    """The text of an operation in place; of `z[0] = 5.0` the event has only the left side."""
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


def _internal_nodes(narrator: Narrator, node: str) -> list[str]:
    """Nodes that were added with this one and made no tensor that the script holds."""
    nodes, found, waiting = narrator.trace.nodes, [], [node]
    while waiting:
        for link in nodes[waiting.pop()]["next"]:
            key = link and link[0]
            if not key or "leaf" in nodes[key] or nodes[key].get("out") or key in found:
                continue
            if key not in narrator.graph.boxes:  # left out of a large graph
                continue
            if not narrator.state.has_value(key):
                found.append(key)
                waiting.append(key)
    return found[::-1]
