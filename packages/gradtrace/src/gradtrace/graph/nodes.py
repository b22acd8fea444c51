"""What of a trace is drawn: a card for each node, leaf and constant, and the lines between them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from gradtrace.graph.module_calls import inside, part, side
from gradtrace.model import Trace

SHORT = 22
"""Characters of an expression that a card shows in place of a name."""
MODULE_NODE = "BackwardHookFunctionBackward"
"""The node that a full backward hook puts at each border of its module."""


@dataclass(frozen=True)
class Card:
    """One box of the picture. `kind`: leaf, node, module or constant; `side`: of a module."""

    key: str
    kind: str
    title: str
    node: str = ""
    side: str = ""


@dataclass(frozen=True)
class Edge:
    """A line down from what is used to what uses it. `kind`: gradient, constant or cut.

    Along a gradient's line a gradient may come back up, into the input `slot` of the lower card;
    at a cut a value goes on that no gradient comes back for. `meets`: more than one line brings
    a gradient to the same output of the upper card, which receives their sum.
    """

    key: str
    above: str
    below: str
    kind: str
    slot: int = 0
    meets: bool = False


@dataclass(frozen=True)
class Graph:
    """What is drawn, and on which card each tensor stands."""

    cards: dict[str, Card]
    edges: tuple[Edge, ...]
    home: dict[str, str]

    def at(self, tensor: object) -> str | None:
        """The card of a tensor, or None where it isn't drawn."""
        return self.home.get(tensor) if isinstance(tensor, str) else None


def select(trace: Trace, first: int, last: int) -> Trace:
    """The trace with these backward passes alone, and what made the graph they walk.

    What stands between passes (a printed line, an update) stays with the pass before it, until a
    graph is begun or gradients are cleared.
    """
    events = trace.events
    ends = {e["p"]: i for i, e in enumerate(events) if e["k"] == "backward_end"}
    starts = {e["p"]: i for i, e in enumerate(events) if e["k"] == "backward"}
    low = _next_forward(events, ends[first - 1]) if first - 1 in ends else 0
    high = min((i for p, i in starts.items() if p > last), default=len(events))
    high = next((i for i in range(ends.get(last, high), high) if _begins(trace, events[i])), high)
    walked = {e["n"] for e in events if e["k"] in ("node", "acc") and first <= e["p"] <= last}
    used: set[str] = set()
    for event in reversed(events[:high]):
        if event["k"] == "op" and (_makes(event, walked) or used & _made(event)):
            used.update(event["ins"])
    kept = [
        event
        for index, event in enumerate(events[:high])
        if (low <= index and not (event["k"] == "op" and _makes(event) - walked))
        or (event["k"] == "op" and (_makes(event, walked) or used & _made(event)))
        or event["k"] == "reg"
    ]
    return replace(trace, events=kept)


def _next_forward(events: list[dict], after: int) -> int:
    """Where the forward pass after this one begins."""
    return next((i for i in range(after, len(events)) if _makes(events[i])), len(events))


def _begins(trace: Trace, event: dict) -> bool:
    """Whether the next pass begins here: cleared gradients, a new hook, a new leaf or graph."""
    if event["k"] == "grad_set":
        return event.get("after") is None
    leaves = (trace.tensors[out["t"]] for out in event.get("out", ()) if not out.get("inplace"))
    return event["k"] == "reg" or bool(_makes(event)) or any(t["leaf"] and t["rg"] for t in leaves)


def _makes(event: dict, among: set[str] | None = None) -> set[str]:
    nodes = {out["n"] for out in event.get("out", ()) if "n" in out}
    return nodes if among is None else nodes & among


def _made(event: dict) -> set[str]:
    return {out["t"] for out in event["out"]}


def read_graph(trace: Trace) -> Graph:
    """The cards and lines of a trace."""
    shown = _shown(trace)
    home = {node["leaf"]: key for key, node in trace.nodes.items() if "leaf" in node}
    for event in _ops(trace):
        home.update({out["t"]: out["n"] for out in event["out"] if "n" in out})
    home = {tensor: key for tensor, key in home.items() if key in shown}
    cards = {key: _card(trace, key) for key in shown}
    constants = _constants(trace, shown, home)
    cards |= {key: Card(key, "constant", title(trace, key)) for key in constants}
    home |= {key: key for key in constants}
    edges = list(_gradient_edges(trace, shown))
    for edge in _constant_edges(trace, shown, constants, home):
        if not _circle([*edges, edge]):  # an operation in place may lead back to its input
            edges.append(edge)
    return Graph(cards, tuple(_numbered(edges)), home)


def without(graph: Graph, hidden: Collection[str]) -> Graph:
    """The graph without these cards and the lines that lead to them."""
    cards = {key: card for key, card in graph.cards.items() if key not in hidden}
    edges = tuple(edge for edge in graph.edges if edge.above in cards and edge.below in cards)
    home = {tensor: key for tensor, key in graph.home.items() if key in cards}
    return Graph(cards, edges, home)


def title(trace: Trace, tensor: str) -> str:
    """What the snippet calls a tensor, else the expression that made it, else nothing."""
    names = trace.tensors[tensor].get("names", [])
    outer = [name for name in names if not name.startswith("self.")]
    if names:
        return (outer or names)[0]
    for event in _ops(trace):
        if any(out["t"] == tensor for out in event["out"]):
            return part(trace, event) if inside(trace, event) else expression(event)
    return ""


def expression(event: dict) -> str:
    """The text in the snippet that an operation is, shortened where it's long."""
    source = event.get("src") or ""
    return source if 0 < len(source) <= SHORT else f"{event['op']}(…)"


def is_module(trace: Trace, key: str) -> bool:
    """Whether a node is the border of a module."""
    return trace.nodes[key]["op"].startswith("BackwardHookFunction")


def _ops(trace: Trace) -> Iterator[dict]:
    return (event for event in trace.events if event["k"] == "op")


def _shown(trace: Trace) -> list[str]:
    """Nodes that a backward pass walked or that made something with a name, and all they come from.

    Where the snippet has neither, every node is shown.
    """
    nodes = trace.nodes
    waiting = [e["n"] for e in trace.events if e["k"] in ("node", "acc")]
    named = [
        out["n"]
        for event in _ops(trace)
        for out in event["out"]
        if "n" in out and trace.tensors[out["t"]].get("names")
    ]
    waiting += named or ([] if waiting else list(nodes))
    sources = _cut_off(trace)
    shown: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in shown:
            shown.add(key)
            waiting += [link[0] for link in nodes[key]["next"] if link]
            waiting += sources.get(key, [])
    return [key for key in nodes if key in shown]


def _cut_off(trace: Trace) -> dict[str, list[str]]:
    """For each node the nodes whose values it uses, although no gradient goes back to them."""
    made = {out["t"]: out["n"] for e in _ops(trace) for out in e["out"] if "n" in out}
    cut = {
        out["t"]: [made[t] for t in event["ins"] if t in made]
        for event in _ops(trace)
        for out in event["out"]
        if "n" not in out
    }
    return {
        key: [node for tensor in event["ins"] for node in cut.get(tensor, [])]
        for event in _ops(trace)
        for key in _makes(event)
    }


def _card(trace: Trace, key: str) -> Card:
    node = trace.nodes[key]
    if "leaf" in node:
        return Card(key, "leaf", title(trace, node["leaf"]), node["op"])
    made = [(e, out["t"]) for e in _ops(trace) for out in e["out"] if out.get("n") == key]
    if is_module(trace, key):
        if not made:
            return Card(key, "module", "", MODULE_NODE)
        event = made[0][0]
        return Card(key, "module", event.get("mod", ""), MODULE_NODE, side(trace, event))
    names = dict.fromkeys(title(trace, tensor) for _, tensor in made)
    return Card(key, "node", ", ".join(names), node["op"])


def _gradient_edges(trace: Trace, shown: list[str]) -> Iterator[Edge]:
    starts: dict[tuple[str, int], int] = {}
    links = [
        (link[0], link[1], key, slot)
        for key in shown
        for slot, link in enumerate(trace.nodes[key]["next"])
        if link
    ]
    ran = {event["n"] for event in trace.events if event["k"] == "node"}
    for above, output, below, _ in links:
        starts[above, output] = starts.get((above, output), 0) + (below in ran)
    for above, output, below, slot in links:
        yield Edge("", above, below, "gradient", slot, starts[above, output] > 1)


def _constants(trace: Trace, shown: list[str], home: dict[str, str]) -> list[str]:
    """Tensors without gradient that shown nodes use: those with a name, or cut from the graph."""
    used = dict.fromkeys(t for e in _ops(trace) if _makes(e, set(shown)) for t in e["ins"])
    cut = {out["t"] for e in _ops(trace) if any(t in home for t in e["ins"]) for out in e["out"]}
    told = trace.tensors
    return [t for t in used if not told[t]["rg"] and (told[t].get("names") or t in cut)]


def _constant_edges(
    trace: Trace, shown: list[str], constants: list[str], home: dict[str, str]
) -> Iterator[Edge]:
    for event in _ops(trace):
        for below in sorted(_makes(event, set(shown))):
            for tensor in dict.fromkeys(event["ins"]):
                if tensor in constants:
                    yield Edge("", tensor, below, "constant")
        for out in event["out"]:
            if out["t"] in constants:
                for tensor in dict.fromkeys(event["ins"]):
                    if tensor != out["t"] and tensor in home:
                        kind = "constant" if tensor in constants else "cut"
                        yield Edge("", home[tensor], out["t"], kind)


def _circle(edges: list[Edge]) -> bool:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for edge in edges:
        sorter.add(edge.below, edge.above)
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False


def _numbered(edges: list[Edge]) -> Iterator[Edge]:
    for index, e in enumerate(dict.fromkeys(edges)):
        yield Edge(f"e{index}", e.above, e.below, e.kind, e.slot, e.meets)
