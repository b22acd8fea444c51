"""The forward pass in words: tensors made, nodes added to the graph, hooks registered."""

from __future__ import annotations

import ast

from gradtrace.graph.module_calls import inside
from gradtrace.graph.nodes import expression, is_module
from gradtrace.narrate.narrator import Teller, Told, hook_name
from gradtrace.narrate.number_format import value


def op(teller: Teller, event: dict) -> Told:
    """An operation: it adds a node, makes a tensor without one, or changes one in place."""
    made = [out["n"] for out in event["out"] if out.get("n") in teller.graph.cards]
    if made:
        return _node_made(teller, event, list(dict.fromkeys(made)))
    out = event["out"][0]
    card = teller.graph.at(out["t"])
    if card is None or "n" in out:
        return None
    text = teller.value(out.get("value"))
    if out.get("inplace"):
        source = _statement(teller, event)
        _show(teller, card, out, begin=not teller.board.has_value(card))
        return teller.say("in_place", source=source, name=teller.name(out["t"]), value=text), [card]
    _show(teller, card, out, begin=True)
    if any(edge.below == card and edge.kind == "cut" for edge in teller.graph.edges):
        return teller.say("cut", source=_source(teller, event), value=text), [card]
    kind = "leaf" if teller.graph.cards[card].kind == "leaf" else "constant"
    return teller.say(kind, name=teller.name(out["t"]), value=text), [card]


def registered(teller: Teller, event: dict) -> Told:
    """A hook was registered, or a gradient is to be kept."""
    on, kind = event.get("on"), event["hook"]
    tensors = teller.tensors(on)
    cards = teller.cards(tensors)
    if tensors and not cards:
        return None
    if kind == "retain_grad":
        return teller.say("retain_grad", name=teller.name(tensors[0])), cards
    hook = hook_name(event.get("fn"))
    for card in cards:
        teller.board.hook(card, hook)
    if tensors:
        target = teller.listed(teller.say("tensor", name=teller.name(t)) for t in tensors)
    else:
        target = teller.say("module", name=on)
    return teller.say("registered", kind=teller.kind(kind), hook=hook, target=target), cards


def _show(teller: Teller, card: str, out: dict, begin: bool = False) -> None:
    if out.get("value"):
        teller.board.value(card, value(out["value"], teller.language), begin)
    if teller.graph.cards[card].kind == "leaf":
        teller.board.no_grad_yet(card)


def _node_made(teller: Teller, event: dict, made: list[str]) -> Told:
    used = teller.first_use(event["ins"])
    for key in made:
        outs = [out.get("value") for out in event["out"] if out.get("n") == key]
        text = value(outs[0], teller.language) if len(outs) == 1 else teller.values(outs)
        teller.board.value(key, text)
    hidden = [key for node in made for key in _hidden(teller, node)]
    for key in hidden:
        _show(teller, key, teller.trace.nodes[key])
    lines = [edge.key for edge in teller.graph.edges if edge.below in (*hidden, *made)]
    touched = [*used, *lines, *hidden, *made]
    if is_module(teller.trace, made[0]):
        card = teller.graph.cards[made[0]]
        return teller.say(f"border_{card.side}", node=card.node, module=card.title), touched
    nodes = teller.listed(teller.trace.nodes[key]["op"] for key in (*hidden, *made))
    told = teller.values([out.get("value") for out in event["out"]])
    joins = teller.say("joins_n" if len(hidden) + len(made) > 1 else "joins", nodes=nodes)
    if inside(teller.trace, teller.trace.events[teller.now]):
        source = _source(teller, event)
        return teller.say("op_inside", source=source, value=told, joins=joins), touched
    if event["out"][0].get("inplace"):
        parts = {"source": _statement(teller, event), "value": told, "joins": joins}
        return teller.say("in_place_node", name=teller.name(event["out"][0]["t"]), **parts), touched
    return teller.say("op", source=_source(teller, event), value=told, nodes=nodes), touched


def _source(teller: Teller, event: dict) -> str:
    """The expression of an operation, with the name that was given to what it made."""
    source = " ".join((event.get("src") or expression(event)).split())
    tensor = event["out"][0]["t"]
    named = teller.trace.tensors[tensor].get("names") and len(event["out"]) == 1
    return f"{teller.name(tensor)} = {source}" if named else source


def _statement(teller: Teller, event: dict) -> str:
    """The text of an operation in place; of `z[0] = 5.0` the trace has only the left side."""
    source = " ".join((event.get("src") or expression(event)).split())
    lines = teller.trace.source.splitlines()
    if event["op"] != "setitem" or not 0 < event.get("line", 0) <= len(lines):
        return source
    line = lines[event["line"] - 1].strip()
    try:
        (statement,) = ast.parse(line).body
    except (SyntaxError, ValueError):
        return source
    whole = ast.get_source_segment(line, statement) or ""
    return whole if isinstance(statement, ast.Assign) and whole.startswith(source) else source


def _hidden(teller: Teller, node: str) -> list[str]:
    """Nodes that came with this one and that belong to no tensor of the snippet."""
    nodes, found, waiting = teller.trace.nodes, [], [node]
    while waiting:
        for link in nodes[waiting.pop()]["next"]:
            key = link and link[0]
            if not key or "leaf" in nodes[key] or nodes[key].get("out") or key in found:
                continue
            if key not in teller.graph.cards:  # left out of a large graph
                continue
            if not teller.board.has_value(key):
                found.append(key)
                waiting.append(key)
    return found[::-1]
