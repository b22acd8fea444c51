"""Builds the graph of a figure from a trace: a box for each autograd node, leaf and constant."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from gradtrace.graph.module_calls import boundary_side
from gradtrace.graph.titles import is_module_boundary, tensor_title
from gradtrace.trace import Event, Trace, nodes_made, operations

MODULE_NODE = "BackwardHookFunctionBackward"
"""The node that a full backward hook puts at each boundary of its module."""


@dataclass(frozen=True)
class Box:
    """One box of the figure. Its `key` is that of a node, or of a tensor where it is a constant.

    `kind` is "leaf", "node", "module" (a boundary) or "constant"; `node` the name of the autograd
    node; `side` is "entrance" or "exit" for the boundary of a module.
    """

    key: str
    kind: str
    title: str
    node: str = ""
    side: str = ""


@dataclass(frozen=True)
class Edge:
    """An edge in the direction of the forward pass. `kind` is "gradient", "constant" or "cut".

    Along a gradient edge a gradient may come back, from the input `slot` of the target. Along a cut
    only the value goes on. `summed`: several edges bring gradients to the same output of the
    source, which receives their sum.
    """

    key: str
    source: str
    target: str
    kind: str
    slot: int = 0
    summed: bool = False


@dataclass(frozen=True)
class Graph:
    """Boxes by their keys, the edges between them, and the box of each tensor that is drawn."""

    boxes: dict[str, Box]
    edges: tuple[Edge, ...]
    box_by_tensor: dict[str, str]

    def box_of(self, tensor: object) -> str | None:
        """The key of a tensor's box, or None where it isn't drawn."""
        return self.box_by_tensor.get(tensor) if isinstance(tensor, str) else None


def build_graph(trace: Trace) -> Graph:
    """The graph of a trace; raises `KeyError` where it names a node or tensor it lacks."""
    shown = _shown_nodes(trace)
    box_of = {node["leaf"]: key for key, node in trace.nodes.items() if "leaf" in node}
    for event in operations(trace):
        box_of.update({out["t"]: out["n"] for out in event["out"] if "n" in out})
    box_of = {tensor: key for tensor, key in box_of.items() if key in shown}
    boxes = {key: _node_box(trace, key) for key in shown}
    constants = _constants(trace, shown, box_of)
    boxes |= {key: Box(key, "constant", tensor_title(trace, key)) for key in constants}
    box_of |= {key: key for key in constants}
    edges = list(_gradient_edges(trace, shown))
    for edge in _constant_edges(trace, shown, constants, box_of):
        if not _has_cycle([*edges, edge]):  # an operation in place may lead back to its input
            edges.append(edge)
    return Graph(boxes, tuple(_with_keys(edges)), box_of)


def without(graph: Graph, hidden: Collection[str]) -> Graph:
    """The graph without these boxes and the edges at them."""
    boxes = {key: box for key, box in graph.boxes.items() if key not in hidden}
    edges = tuple(edge for edge in graph.edges if edge.source in boxes and edge.target in boxes)
    box_of = {tensor: key for tensor, key in graph.box_by_tensor.items() if key in boxes}
    return Graph(boxes, edges, box_of)


def _shown_nodes(trace: Trace) -> list[str]:
    """Nodes that ran in a backward pass or made a tensor with a name, and all their ancestors.

    Every node, where the trace has neither.
    """
    nodes = trace.nodes
    waiting = [e["n"] for e in trace.events if e["k"] in ("node", "acc")]
    named = [
        out["n"]
        for event in operations(trace)
        for out in event["out"]
        if "n" in out and trace.tensors[out["t"]].get("names")
    ]
    waiting += named or ([] if waiting else list(nodes))
    sources = _sources_of_cuts(trace)
    shown: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in shown:
            shown.add(key)
            waiting += [link[0] for link in nodes[key]["next"] if link]
            waiting += sources.get(key, [])
    return [key for key in nodes if key in shown]


def _sources_of_cuts(trace: Trace) -> dict[str, list[str]]:
    """For each node the nodes whose values it uses, although no gradient goes back to them."""
    made = {out["t"]: out["n"] for e in operations(trace) for out in e["out"] if "n" in out}
    cut = {
        out["t"]: [made[t] for t in event["ins"] if t in made]
        for event in operations(trace)
        for out in event["out"]
        if "n" not in out
    }
    return {
        key: [node for tensor in event["ins"] for node in cut.get(tensor, [])]
        for event in operations(trace)
        for key in nodes_made(event)
    }


def _node_box(trace: Trace, key: str) -> Box:
    node = trace.nodes[key]
    if "leaf" in node:
        return Box(key, "leaf", tensor_title(trace, node["leaf"]), node["op"])
    made = [(e, out["t"]) for e in operations(trace) for out in e["out"] if out.get("n") == key]
    if is_module_boundary(trace, key):
        if not made:
            return Box(key, "module", "", MODULE_NODE)
        event: Event = made[0][0]
        return Box(key, "module", event.get("mod", ""), MODULE_NODE, boundary_side(trace, event))
    titles = dict.fromkeys(tensor_title(trace, tensor) for _, tensor in made)
    return Box(key, "node", ", ".join(titles), node["op"])


def _gradient_edges(trace: Trace, shown: list[str]) -> Iterator[Edge]:
    links = [
        (link[0], link[1], key, slot)
        for key in shown
        for slot, link in enumerate(trace.nodes[key]["next"])
        if link
    ]
    ran = {event["n"] for event in trace.events if event["k"] == "node"}
    received: dict[tuple[str, int], int] = {}
    for source, output, target, _ in links:
        received[source, output] = received.get((source, output), 0) + (target in ran)
    for source, output, target, slot in links:
        yield Edge("", source, target, "gradient", slot, received[source, output] > 1)


def _constants(trace: Trace, shown: list[str], box_of: dict[str, str]) -> list[str]:
    """Tensors without gradient that shown nodes use: those with a name, or cut from the graph."""
    used = dict.fromkeys(
        t for e in operations(trace) if nodes_made(e) & set(shown) for t in e["ins"]
    )
    cut = {
        out["t"]
        for event in operations(trace)
        if any(tensor in box_of for tensor in event["ins"])
        for out in event["out"]
    }
    tensors = trace.tensors
    return [t for t in used if not tensors[t]["rg"] and (tensors[t].get("names") or t in cut)]


def _constant_edges(
    trace: Trace, shown: list[str], constants: list[str], box_of: dict[str, str]
) -> Iterator[Edge]:
    for event in operations(trace):
        for target in sorted(nodes_made(event) & set(shown)):
            for tensor in dict.fromkeys(event["ins"]):
                if tensor in constants:
                    yield Edge("", tensor, target, "constant")
        for out in event["out"]:
            if out["t"] in constants:
                for tensor in dict.fromkeys(event["ins"]):
                    if tensor != out["t"] and tensor in box_of:
                        kind = "constant" if tensor in constants else "cut"
                        yield Edge("", box_of[tensor], out["t"], kind)


def _has_cycle(edges: list[Edge]) -> bool:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for edge in edges:
        sorter.add(edge.target, edge.source)
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False


def _with_keys(edges: list[Edge]) -> Iterator[Edge]:
    for index, e in enumerate(dict.fromkeys(edges)):
        yield Edge(f"e{index}", e.source, e.target, e.kind, e.slot, e.summed)
