"""The backward pass in words: what nodes receive and pass on, which hooks are called."""

from __future__ import annotations

from itertools import islice, pairwise

from gradtrace.narrate.narrator import Teller, Told, hook_name
from gradtrace.narrate.number_format import number, on_one_line, scalar, value, without_shape

_MODULE_HOOKS = {
    "full_backward": ("hook_module", ("inputs", "outputs")),
    "backward": ("hook_module", ("inputs", "outputs")),
    "full_backward_pre": ("hook_before", ("outputs",)),
    "forward": ("hook_forward", ("inputs", "outputs")),
    "forward_pre": ("hook_forward_pre", ("inputs",)),
}
"""The sentence of a hook on a module, and what the values are that it gets."""


_REPLACING = ("full_backward", "full_backward_pre", "backward")
"""Hooks on modules: what they return goes on in place of the gradient."""
_PASSES_ON = ("AddBackward0", "CloneBackward0", "BackwardHookFunctionBackward")
"""Nodes that compute nothing: what they give is what they received."""


def backward(teller: Teller, event: dict) -> Told:
    """A backward pass begins."""
    teller.captured = _captured(teller, event)
    card = teller.graph.at(event["roots"][0])
    if card is None:
        return None
    seed = event["seed"][0]
    told = {
        "name": teller.name(event["roots"][0]),
        "node": teller.graph.cards[card].node,
        "seed": "1" if seed is None else teller.value(seed),
    }
    if teller.board.number_passes:
        return teller.say("backward_n", number=event["p"], **told), [card]
    return teller.say("backward", **told), [card]


def _captured(teller: Teller, event: dict) -> dict[str, int]:
    """The cards of what `autograd.grad` asks for, whose own nodes do not run, with the number of
    gradients that come to them."""
    if event.get("api") != "grad":
        return {}
    events = (e for e in teller.trace.events if e["k"] in ("node", "acc"))
    given = {e["n"]: e.get("gout", []) for e in events if e["p"] == event["p"]}
    found = dict.fromkeys(set(teller.cards(event.get("inputs") or [])) - given.keys(), 0)
    for edge in teller.graph.edges:
        gradients = given.get(edge.below, []) if edge.kind == "gradient" else []
        if edge.above in found and any(gradients[edge.slot : edge.slot + 1]):
            found[edge.above] += 1
    return found


def node(teller: Teller, event: dict) -> Told:
    """A node ran: what it received, and what it passed on to whom."""
    key, which = event["n"], event["p"]
    if key not in teller.graph.cards:
        return None
    alone = len(event["gin"]) == 1
    text = value(event["gin"][0], teller.language) if alone else teller.values(event["gin"])
    teller.board.received(key, which, text)
    sentence = teller.say("receives", node=teller.node(key), got=_sum(teller, key, event))
    raised = _raised(teller)
    if "gout" not in event and raised and raised.get("at") == key:
        return sentence + teller.say("stop"), [key]
    if "gout" not in event:
        teller.board.received(key, which, teller.say("failed"))
        return sentence + teller.say("fails") + teller.say("stop"), [key]
    told, touched = _given(teller, key, event)
    told = "" if _replaced(teller, key) else told
    return sentence + told + teller.say("stop"), [key, *touched]


def _given(teller: Teller, key: str, event: dict) -> tuple[str, list[str]]:
    """What a node passed to whom, and along which lines."""
    same = len(event["gin"]) == 1 and teller.trace.nodes[key]["op"] in _PASSES_ON
    touched, on, given_to, captured, part = [], [], {}, [], False
    for edge in teller.graph.edges:
        if edge.below != key or edge.kind != "gradient" or edge.slot >= len(event["gout"]):
            continue
        given = event["gout"][edge.slot]
        if given is None:
            continue
        touched.append(edge.key)
        teller.arrived.setdefault((edge.above, event["p"]), []).append(given)
        text = teller.value(given)
        if edge.meets:
            teller.board.sent(edge.key, event["p"], without_shape(text))
        if edge.above in teller.captured:
            name = teller.graph.cards[edge.above].title
            captured.append(teller.say("captured", name=name, value=text))
            part = part or teller.captured[edge.above] > 1
        elif same and given == event["gin"][0]:
            on.append(teller.node(edge.above))
        else:
            given_to.setdefault(edge.above, []).append(text)
    phrases = [teller.say("passes_on", nodes=teller.listed(dict.fromkeys(on)))] if on else []
    for above, texts in given_to.items():
        told = {"values": teller.listed(texts), "node": teller.node(above)}
        phrases.append(teller.say("gives", **told))
    told = teller.listed(phrases, "and_gives", "between_gives") if phrases else ""
    told = teller.say("passes", given=told) if told else ""
    if captured:
        word = "captures_part" if part else "captures_n" if captured[1:] else "captures"
        told += teller.say(word, given=teller.listed(captured))
    return told, touched


def _replaced(teller: Teller, key: str) -> bool:
    """Whether a hook on a module, called after its node, puts another gradient in its place."""
    for event in islice(teller.trace.events, teller.now + 1, None):
        if event["k"] in ("node", "acc", "backward_end"):
            return False
        replaces = event["k"] == "hook" and event["hook"] in _REPLACING
        if replaces and event.get("at") == key and event.get("ret") is not None:
            return True
    return False


def _raised(teller: Teller) -> dict | None:
    """The hook that raised. Those of a node are called after it, so the node itself ran."""
    for before, event in pairwise(teller.trace.events):
        if event["k"] == "error" and "p" in event and before["k"] == "hook":
            return before
    return None


def accumulated(teller: Teller, event: dict) -> Told:
    """A gradient reached a leaf tensor."""
    key = event["n"]
    card = teller.graph.cards.get(key)
    if card is None:
        return None
    before, after = teller.value(event.get("before")), teller.value(event.get("after"))
    teller.board.grad(key, before)
    teller.board.grad(key, value(event.get("after"), teller.language))
    kind = "filled" if event.get("before") is None else "added"
    if event.get("after") is None:
        kind = "collected"
    elif before == after:
        kind = "kept"
    got = _sum(teller, key, event)
    told = {"node": teller.node(key), "name": card.title, "got": got}
    return teller.say(kind, **told, before=before, after=after), [key]


def hook(teller: Teller, event: dict) -> Told:
    """A hook was called: what it got, and what it returned."""
    kind, got, name = event["hook"], event.get("got") or [], hook_name(event.get("fn"))
    tensors = teller.tensors(event.get("on"))
    cards = teller.cards(tensors)
    if tensors and not cards:
        return None
    say = {"kind": teller.kind(kind), "hook": name}
    if kind == "tensor":
        return _tensor_hook(teller, event, say, cards[:1])
    if kind == "post_accumulate":
        return teller.say("hook_after", **say, name=teller.name(tensors[0])), cards
    if kind == "multi_grad":
        return teller.say("hook_multi", **say, got=teller.values(got)), cards
    if not tensors and event.get("at") in teller.graph.cards:
        cards = [event["at"]]
        teller.board.hook(cards[0], name, new=False)
        if {"p": event["p"], **(_raised(teller) or {})} == event:
            teller.board.received(cards[0], event["p"], teller.say("failed"))
    template, parts = _MODULE_HOOKS.get(kind, ("hook_called", ()))
    if len(got) < len(parts) or not parts:
        return teller.say("hook_called", **say), cards
    told = dict(zip(parts, (teller.values([one]) for one in got), strict=False))
    sentence = teller.say(template, **say, **told)
    if event.get("ret") is not None:
        word = "and_replaces" if kind in _REPLACING else "and_returns"
        sentence += teller.say(word, given=teller.values([event["ret"]]))
    return sentence + teller.say("stop"), cards


def called(teller: Teller, event: dict) -> Told:
    """A node called a function of the snippet."""
    key = event.get("n")
    if key not in teller.graph.cards:
        return None
    return teller.say("called", node=teller.node(key), name=event["fn"]), [key]


def _tensor_hook(teller: Teller, event: dict, say: dict, cards: list[str]) -> Told:
    got, given = event["got"], event.get("ret")
    which = event.get("p", 0)
    for card in cards:
        if teller.graph.cards[card].kind != "leaf":
            teller.board.received(card, which, value(got[0], teller.language))
            if given is not None:
                teller.board.received(card, which, value(given, teller.language))
    if given is None:
        return teller.say("hook_passes", **say, got=teller.values(got)), cards
    told = {"got": teller.values(got), "given": teller.values([given])}
    return teller.say("hook_returns", **say, **told), cards


def _sum(teller: Teller, key: str, event: dict) -> str:
    """The gradient a node received; where several lines brought it, the sum that it is."""
    gin, parts = event["gin"], teller.arrived.get((key, event["p"]), [])
    told = teller.values(gin)
    total = scalar(gin[0]) if len(gin) == 1 else None
    numbers = [scalar(part) for part in parts]
    if len(parts) < 2 or total is None or None in numbers:
        return told
    if abs(sum(numbers) - total) > 1e-3 * abs(total) + 1e-6:
        return told  # a hook came between, or the numbers are rounded
    first, *rest = (number(one) for one in numbers)
    terms = (f" − {one[1:]}" if one.startswith("−") else f" + {one}" for one in rest)
    return f"{first}{''.join(terms)} = {on_one_line(told)}"
