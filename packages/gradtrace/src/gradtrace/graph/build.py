"""Builds the graph of a figure from a trace: a box for each autograd node, leaf and constant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from gradtrace.graph.cuts import cut_inputs, uses_values
from gradtrace.graph.index import TraceIndex
from gradtrace.graph.parameters import EXPLAINED, Parameter
from gradtrace.graph.titles import Titles, is_module_boundary, short_expression
from gradtrace.trace import Trace, nodes_made


def nodes_behind(index: TraceIndex, places: Iterable[int], met: set[int]) -> list[str]:
    """The nodes whose values these operations use through any number of operations outside of the
    graph, although no gradient flows back to them. Those in `met` are skipped; all that are found
    are added to it."""
    found = []
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        for tensor in index.event(place)["ins"]:
            maker = index.maker_before(tensor, place)
            if maker is None or maker in met or index.node_before(tensor, place):
                continue
            met.add(maker)
            if uses_values(index.event(maker)):
                waiting.append(maker)
                nodes = (index.node_before(t, maker) for t in index.event(maker)["ins"])
                found += [node for node in nodes if node]
    return found


class Constants:
    """The constants of a figure. `shown`: the nodes that are drawn; `box_of`: the boxes of tensors
    that require a gradient."""

    def __init__(self, index: TraceIndex, shown: set[str], box_of: dict[str, str]) -> None:
        self._index, self._shown, self._box_of = index, shown, box_of
        tensors = index.trace.tensors
        used = dict.fromkeys(
            tensor
            for place in index.operations
            if not shown.isdisjoint(nodes_made(index.event(place)))
            for tensor in index.event(place)["ins"]
            if not tensors[tensor]["rg"]
        )
        self._inputs_cut = cut_inputs(index)
        self._cut = self._derived()
        used = [t for t in used if tensors[t].get("names") or t in self._cut]
        self.tensors = [*used, *self._between(used)]
        """Tensors without a gradient that shown nodes use, if they have a name or were computed
        from tensors in the graph; and named tensors in between."""
        self._is_constant = set(self.tensors)

    def edges(self) -> Iterator[tuple[str, str, str]]:
        """The edges at constants: source, target and kind.

        A constant that is changed in place after it was used has no edge from the operation that
        changed it, which may itself depend on the use.
        """
        used: set[str] = set()
        for place in self._index.operations:
            event = self._index.event(place)
            inputs = [t for t in dict.fromkeys(event["ins"]) if t in self._is_constant]
            for target in sorted(nodes_made(event) & self._shown):
                yield from ((tensor, target, "constant") for tensor in inputs)
                used.update(inputs)
            for out in event["out"]:
                target = out["t"]
                if target in self._is_constant and target not in used:
                    for source, kind in self._sources(place, target):
                        yield source, target, kind
                        used.add(source)

    def _derived(self) -> set[str]:
        """The tensors without a gradient that were computed from tensors in the graph."""
        found: set[str] = set()
        for place in self._index.operations:
            event, cut = self._index.event(place), self._inputs_cut.get(place, ())
            derived = uses_values(event) and any(t in found for t in event["ins"])
            if derived or any(t in self._box_of for t in cut):
                found.update(out["t"] for out in event["out"] if "n" not in out)
        return found

    def _between(self, used: list[str]) -> list[str]:
        """The named tensors outside of modules that were computed from the graph, and from which
        these were computed."""
        met, waiting, found = set(used), [t for t in used if t in self._cut], []
        while waiting:
            for place in self._index.makers.get(waiting.pop(), ()):
                for tensor in self._index.event(place)["ins"]:
                    if tensor not in met and tensor in self._cut:
                        met.add(tensor)
                        waiting.append(tensor)
                        made = self._index.event(self._index.makers[tensor][0])
                        entry = self._index.trace.tensors[tensor]
                        if "names" in entry and not entry["rg"] and "within" not in made:
                            found.append(tensor)
        return found

    def _sources(self, place: int, target: str) -> Iterator[tuple[str, str]]:
        """The boxes of the inputs of the operation at this place that made a constant: constants,
        and the tensors in the graph from which its value was cut."""
        if not uses_values(self._index.event(place)):
            return
        waiting, met = [(place, True)], {target}
        while waiting:
            place, is_last = waiting.pop()
            for tensor in dict.fromkeys(self._index.event(place)["ins"]):
                if tensor in met:
                    continue
                met.add(tensor)
                if tensor in self._is_constant:
                    if is_last or tensor in self._cut:
                        yield tensor, "constant"
                elif tensor in self._inputs_cut.get(place, ()):
                    if box := self._box(tensor, place):
                        yield box, "cut"
                elif (maker := self._index.maker_before(tensor, place)) is not None and uses_values(
                    self._index.event(maker)
                ):
                    waiting.append((maker, False))

    def _box(self, tensor: str, place: int) -> str | None:
        """The box of a tensor in the graph, as it was before this place."""
        if self._index.maker_before(tensor, place) is None:
            return self._box_of.get(tensor)
        node = self._index.node_before(tensor, place)
        if node is None and self._index.trace.tensors[tensor]["rg"]:
            return self._box_of.get(tensor)  # a leaf
        return node if node in self._shown else None


FAILED = "x0"
"""The key of the box of the operation that failed; it has no tensor and no node."""
MODULE_NODE = "BackwardHookFunctionBackward"
"""The node that a full backward hook puts at each boundary of its module."""


@dataclass(frozen=True)
class Box:
    """One box of the figure. Its `key` is the node's; or the tensor's for a constant, or a
    parameter that isn't in any graph.

    `kind` is "leaf", "node", "module" (a boundary), "constant" or "failed" (an operation that
    raised an error); in a folded graph also "group" (of boxes) or "stub" (for outside boxes).
    `node` is the name of the autograd node or of the operation that failed, or the note on a group;
    `side` is "entrance" or "exit" for the boundary of a module.
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

    `explained`: the parameters that got no gradient, or whose gradient is not used, and why.
    """

    boxes: dict[str, Box]
    edges: tuple[Edge, ...]
    box_by_tensor: dict[str, str]
    explained: tuple[Parameter, ...] = ()
    titles: Titles | None = field(default=None, compare=False)
    """The titles of its boxes, with the index of the trace; None for a part of a graph."""

    @cached_property
    def edges_into(self) -> dict[str, list[Edge]]:
        """The edges that end at each box."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.target, []).append(edge)
        return found

    @cached_property
    def structure(self) -> tuple:
        """What all pictures that can show the same run have in common."""
        return tuple(self.boxes.values()), self.edges

    def box_of(self, tensor: object) -> str | None:
        """The key of a tensor's box, or None where it isn't drawn."""
        return self.box_by_tensor.get(tensor) if isinstance(tensor, str) else None


def build_graph(
    trace: Trace, index: TraceIndex | None = None, run: Iterable[Parameter] = ()
) -> Graph:
    """The graph of a trace; raises `KeyError` for an unknown node or tensor.

    `run`: the parameters of the whole run; those without a gradient are drawn too.
    """
    index = index or TraceIndex(trace)
    titles = Titles(index)
    shown = _shown_nodes(index)
    box_of = {node["leaf"]: key for key, node in trace.nodes.items() if "leaf" in node}
    box_of = {tensor: key for tensor, key in (box_of | index.nodes).items() if key in shown}
    boxes = {key: _node_box(titles, key) for key in trace.nodes if key in shown}
    constants = Constants(index, shown, box_of)
    boxes |= {key: Box(key, "constant", titles.tensor(key)) for key in constants.tensors}
    edges = [*_gradient_edges(index, shown), *(Edge("", *edge) for edge in constants.edges())]
    box_of |= {key: key for key in constants.tensors}
    if failed := index.failed:
        for key in failed["ins"]:
            if key not in box_of:  # an input of the failed operation only
                kind = "leaf" if trace.tensors[key]["rg"] else "constant"
                boxes[key] = Box(key, kind, titles.tensor(key))
        box_of |= {key: key for key in failed["ins"] if key not in box_of}
        boxes[FAILED] = Box(FAILED, "failed", short_expression(failed), failed["op"])
        edges += [Edge("", box_of[key], FAILED, "constant") for key in failed["ins"]]
    keys = (f"e{number}" for number in count())
    edges = tuple(replace(edge, key=next(keys)) for edge in dict.fromkeys(edges))
    explained = tuple(each for each in run if each.outcome in EXPLAINED)
    for key, name, frozen in ((p.tensor, p.name, p.outcome == "frozen") for p in explained):
        if key not in box_of:
            boxes[key] = Box(key, "constant" if frozen else "leaf", name)
            box_of[key] = key
    return Graph(boxes, edges, box_of, explained, titles)


def _shown_nodes(index: TraceIndex) -> set[str]:
    """Nodes that ran in a backward pass or made a tensor with a name, and all their ancestors.

    All nodes, if the trace has neither. The ancestors of a node include those whose values it uses
    although no gradient flows back to them.
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
