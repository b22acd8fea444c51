"""Builds the graph of a figure from a trace: a box for each autograd node, leaf and constant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from gradtrace.graph.index import TraceIndex
from gradtrace.graph.outside import Outside, nodes_behind
from gradtrace.graph.parameters import EXPLAINED, Parameter
from gradtrace.graph.titles import Titles, is_module_boundary, short_expression
from gradtrace.trace import Trace

FAILED = "x0"
"""The key of the box of the operation that failed; no tensor and no node stands for it."""
MODULE_NODE = "BackwardHookFunctionBackward"
"""The node that a full backward hook puts at each boundary of its module."""


@dataclass(frozen=True)
class Box:
    """One box of the figure. Its `key` is that of a node; of a tensor where it is a constant, or a
    parameter that is in no graph.

    `kind` is "leaf", "node", "module" (a boundary), "constant" or "failed" (an operation that
    raised an error); in a folded graph also "group" (of boxes) or "stub" (what is outside). `node`
    is the name of the autograd node or of the operation that failed, or what is told
    of a group; `side` is "entrance" or "exit" for the boundary of a module.
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
    """Boxes by their keys, the edges between them, and the box of each tensor that is drawn.

    `explained`: the parameters of which it is told why they got no gradient, or nobody uses it.
    """

    boxes: dict[str, Box]
    edges: tuple[Edge, ...]
    box_by_tensor: dict[str, str]
    explained: tuple[Parameter, ...] = ()

    @cached_property
    def edges_into(self) -> dict[str, list[Edge]]:
        """The edges that end at each box."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.target, []).append(edge)
        return found

    def box_of(self, tensor: object) -> str | None:
        """The key of a tensor's box, or None where it isn't drawn."""
        return self.box_by_tensor.get(tensor) if isinstance(tensor, str) else None


def build_graph(
    trace: Trace, index: TraceIndex | None = None, told: Iterable[Parameter] = ()
) -> Graph:
    """The graph of a trace; raises `KeyError` where it names a node or tensor it lacks.

    `told`: parameters, of the whole run; those without a gradient are drawn too.
    """
    index = index or TraceIndex(trace)
    titles = Titles(index)
    shown = _shown_nodes(index)
    box_of = {node["leaf"]: key for key, node in trace.nodes.items() if "leaf" in node}
    box_of = {tensor: key for tensor, key in (box_of | index.nodes).items() if key in shown}
    boxes = {key: _node_box(titles, key) for key in trace.nodes if key in shown}
    outside = Outside(index, shown, box_of)
    boxes |= {key: Box(key, "constant", titles.tensor(key)) for key in outside.constants}
    edges = [*_gradient_edges(index, shown), *(Edge("", *edge) for edge in outside.edges())]
    box_of |= {key: key for key in outside.constants}
    if failed := index.failed:
        boxes |= {key: _given_box(titles, key) for key in failed["ins"] if key not in box_of}
        box_of |= {key: key for key in failed["ins"] if key not in box_of}
        boxes[FAILED] = Box(FAILED, "failed", short_expression(failed), failed["op"])
        edges += [Edge("", box_of[key], FAILED, "constant") for key in failed["ins"]]
    keys = (f"e{number}" for number in count())
    edges = tuple(replace(edge, key=next(keys)) for edge in dict.fromkeys(edges))
    explained = tuple(each for each in told if each.outcome in EXPLAINED)
    for key, name, frozen in ((p.tensor, p.name, p.outcome == "frozen") for p in explained):
        if key not in box_of:
            boxes[key] = Box(key, "constant" if frozen else "leaf", name)
            box_of[key] = key
    return Graph(boxes, edges, box_of, explained)


def _shown_nodes(index: TraceIndex) -> set[str]:
    """Nodes that ran in a backward pass or made a tensor with a name, and all their ancestors.

    Every node, where the trace has neither. Among the ancestors of a node are those whose values it
    uses, although no gradient goes back to them.
    """
    trace = index.trace
    waiting = [e["n"] for e in trace.events if e["k"] in ("node", "acc")]
    named = [
        out["n"]
        for place in index.operations
        for out in index.event(place)["out"]
        if "n" in out and trace.tensors[out["t"]].get("names")
    ]
    waiting += named or ([] if waiting else list(trace.nodes))
    inputs = index.failed["ins"] if index.failed else ()
    waiting += [index.nodes[key] for key in inputs if key in index.nodes]
    shown: set[str] = set()
    met: set[int] = set()
    while waiting:
        key = waiting.pop()
        if key not in shown:
            shown.add(key)
            waiting += [link[0] for link in trace.nodes[key]["next"] if link]
            waiting += nodes_behind(index, index.makers_of_nodes.get(key, []), met)
    return shown


def _given_box(titles: Titles, key: str) -> Box:
    """The box of a tensor that went into an operation that failed, and into no other."""
    needs_grad = titles.index.trace.tensors[key]["rg"]
    return Box(key, "leaf" if needs_grad else "constant", titles.tensor(key))


def _node_box(titles: Titles, key: str) -> Box:
    index = titles.index
    node = index.trace.nodes[key]
    if "leaf" in node:
        return Box(key, "leaf", titles.tensor(node["leaf"]), node["op"])
    places = index.makers_of_nodes.get(key, [])
    if is_module_boundary(index.trace, key):
        if not places:
            return Box(key, "module", "", MODULE_NODE)
        module = index.event(places[0]).get("mod", "")
        return Box(key, "module", module, MODULE_NODE, titles.sides[places[0]])
    made = [
        titles.operation(place, out["t"])
        for place in places
        for out in index.event(place)["out"]
        if out.get("n") == key
    ]
    return Box(key, "node", ", ".join(dict.fromkeys(made)), node["op"])


def _gradient_edges(index: TraceIndex, shown: set[str]) -> Iterator[Edge]:
    links = [
        (link[0], link[1], key, slot)
        for key, node in index.trace.nodes.items()
        if key in shown
        for slot, link in enumerate(node["next"])
        if link
    ]
    received = Counter((source, output) for source, output, key, _ in links if key in index.ran)
    for source, output, target, slot in links:
        yield Edge("", source, target, "gradient", slot, received[source, output] > 1)
