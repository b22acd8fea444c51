"""The outcome of every parameter: whether it got a gradient, and if not, why.

Here a parameter is an `nn.Parameter` or any other leaf tensor that requires a gradient.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gradtrace.graph.cuts import Cut, cut_at, last_cuts
from gradtrace.graph.index import TraceIndex
from gradtrace.graph.titles import Titles
from gradtrace.trace import Trace, Value
from gradtrace.values import is_zero

Outcome = Literal[
    "gradient",
    "zero",
    "not_in_optimizer",
    "frozen",
    "unused",
    "detached",
    "not_on_path",
    "not_asked",
    "failed",
    "no_pass",
]
"""The outcome of a parameter, over all passes of a trace:

- gradient: a gradient reached it.
- zero: gradients reached it, all of them zero everywhere.
- not_in_optimizer: a gradient reached it, but no optimizer of the script holds it.
- frozen: it doesn't require a gradient.
- unused: no operation used it.
- detached: the root of a pass was computed from it, but every path there is cut.
- not_on_path: it was used, but no pass began at a tensor computed from it.
- not_asked: it is on the path, but the pass computed the gradients of others only (`inputs=`).
- failed: it is on the path, but the pass raised an error before.
- no_pass: no backward pass ran, or none after it was used; or it was used only while gradients
  were off, and not for the root of a pass, as a copy that is evaluated.
"""
EXPLAINED = ("not_in_optimizer", "frozen", "unused", "detached", "not_on_path", "not_asked")
"""The outcomes that a figure explains."""
WITH_GRADIENT = ("gradient", "zero", "not_in_optimizer")


@dataclass(frozen=True)
class Parameter:
    """A parameter and its outcome. `name`: its name in the script, "" if it has none.

    `cut`: the cut nearest to the loss, if it is detached. `module_ran`: whether its module was
    called, if the trace shows it.
    """

    tensor: str
    name: str
    outcome: Outcome
    cut: Cut | None = None
    module_ran: bool = False


def parameters(trace: Trace, index: TraceIndex | None = None) -> list[Parameter]:
    """All parameters of the trace, in its order, with the outcome of each."""
    index = index or TraceIndex(trace)
    outcomes, titles = _Outcomes(index), Titles(index)
    called = {call["path"] for call in trace.calls.values()}
    named = Counter(name for each in trace.tensors.values() for name in each.get("names", ()))
    found = []
    for key, tensor in trace.tensors.items():
        if not (tensor.get("param") or (tensor["leaf"] and tensor["rg"])):
            continue
        outcome, cut = outcomes.of(key)
        replaced = all(named[name] > 1 for name in tensor.get("names", ()))
        if outcome in ("unused", "frozen") and replaced and not _uses(index, key):
            continue  # another tensor has its names now, as when weights are tied
        # A view that was made from a leaf while gradients were off reports that it requires a
        # gradient, as the leaf does, but gets none.
        made = map(index.event, index.makers.get(key, [])[:1])
        is_view = any("no_grad" in event and key not in event["ins"] for event in made)
        if outcome not in WITH_GRADIENT and is_view:
            continue
        owners = {name.rpartition(".")[0] for name in tensor.get("names", [])}
        ran = bool(owners & called)
        found.append(Parameter(key, titles.tensor(key), outcome, cut, ran))
    return found


class _Outcomes:
    """The outcomes of the parameters of a trace."""

    def __init__(self, index: TraceIndex) -> None:
        self._index, self._tensors = index, index.trace.tensors
        events = index.trace.events
        self._passes = [i for i, event in enumerate(events) if event["k"] == "backward"]
        self._failed = {event["p"] for event in events if event["k"] == "error" and "p" in event}
        self._received = _received(index)
        self._arrived: dict[str, int] = {}
        """Where the first gradient of each parameter was added to its `.grad`."""
        for place, event in enumerate(events):
            if event["k"] == "acc":
                self._arrived.setdefault(event["t"], place)
        nodes = index.trace.nodes
        self._own_nodes = {node["leaf"]: key for key, node in nodes.items() if "leaf" in node}
        self._nearest = last_cuts(index)
        self._held = {row["t"] for e in events if e["k"] == "step" for row in e["params"]}
        self._held |= {key for key, tensor in self._tensors.items() if "opt" in tensor}
        self._changed: dict[str, int] = {}
        """Where each tensor was last changed by the script itself."""
        for place, event in enumerate(events):
            if event["k"] == "set":
                self._changed[event["t"]] = place
            for out in event.get("out", ()):
                if out.get("inplace"):
                    self._changed[out["t"]] = place

    def of(self, key: str) -> tuple[Outcome, Cut | None]:
        """The outcome of a parameter, and where it was cut off."""
        if gradients := self._received.get(key):
            if all(map(is_zero, gradients)):
                return "zero", None
            return ("not_in_optimizer" if self._is_forgotten(key) else "gradient"), None
        if not self._tensors[key]["rg"]:
            return "frozen", None
        index = self._index
        uses = _uses(index, key)
        begins = [index.makers.get(key, [])[:1], uses[:1]]
        if not self._passes or any(first > [self._passes[-1]] for first in begins):
            return "no_pass", None
        if key not in self._nearest:
            if uses and all("no_grad" in index.event(place) for place in uses):
                return "no_pass", None
            return ("not_on_path" if uses else "unused"), None
        place = self._nearest[key]
        if place is not None:
            return "detached", cut_at(index.event(place))
        return self._on_the_way(key, uses)

    def _is_forgotten(self, key: str) -> bool:
        """Whether the script has optimizers for parameters like this one, and never updates it."""
        like = self._tensors[key].get("param")
        others = (self._tensors[held].get("param") for held in self._held)
        if key in self._held or key not in self._arrived or not any(like or not o for o in others):
            return False
        return self._changed.get(key, -1) < self._arrived[key]

    def _on_the_way(self, key: str, uses: list[int]) -> tuple[Outcome, Cut | None]:
        """Why a parameter got no gradient although no operation on the path cuts it off."""
        node, index = self._own_nodes.get(key), self._index
        through = []
        for place in self._passes:
            roots = filter(None, index.event(place)["roots"])
            nodes = (self._tensors[r].get("n") or self._own_nodes.get(r) for r in roots)
            if node in self._reached(filter(None, nodes)):
                through.append(place)
        if not through:
            return "detached", cut_at(index.event(uses[-1]), "no_derivative")
        passes = [index.event(place) for place in through]
        if any(event["p"] in self._failed for event in passes):
            return "failed", None
        if all("inputs" in event for event in passes):
            return "not_asked", None
        return "detached", self._gave_none(node)

    def _gave_none(self, node: str) -> Cut | None:
        """The operation nearest to the loss whose backward returned None on the path to a node."""
        nodes = self._index.trace.nodes
        for event in self._index.trace.events:
            if event["k"] != "node":
                continue
            entry = nodes[event["n"]]
            for link, gradient in zip(entry["next"], event.get("gout", ()), strict=False):
                if link and gradient is None and node in self._reached([link[0]]):
                    made = self._index.makers_of_nodes.get(event["n"])
                    where = self._index.event(made[0]) if made else {**event, "op": entry["op"]}
                    return cut_at(where, "none")
        return None

    def _reached(self, nodes: Iterable[str]) -> set[str]:
        """These nodes and all nodes to which they send gradients."""
        waiting, found = list(nodes), set()
        while waiting:
            if (key := waiting.pop()) not in found:
                found.add(key)
                waiting += [link[0] for link in self._index.trace.nodes[key]["next"] if link]
        return found


def _received(index: TraceIndex) -> dict[str, list[Value]]:
    """The gradients of each parameter: added to its `.grad`, returned by `grad()`, or assigned by
    the script to a `.grad` that was None."""
    nodes = index.trace.nodes
    found: dict[str, list[Value]] = {}
    asked: dict[int, list[str]] = {}
    for event in index.trace.events:
        if event["k"] == "backward" and event["api"] == "grad":
            asked[event["p"]] = event.get("inputs", [])
        elif event["k"] == "acc":
            found.setdefault(event["t"], []).extend(filter(None, event["gin"]))
        elif event["k"] == "grad_set" and event["before"] is None and event["after"]:
            found.setdefault(event["t"], []).append(event["after"])
        elif event["k"] == "node" and event["p"] in asked:
            links = zip(nodes[event["n"]]["next"], event.get("gout", ()), strict=False)
            for link, gradient in links:
                leaf = nodes[link[0]].get("leaf") if link else None
                if leaf in asked[event["p"]] and gradient:
                    found.setdefault(leaf, []).append(gradient)
    return found


def _uses(index: TraceIndex, tensor: str) -> list[int]:
    """The operations that compute another tensor from this one, not in place."""
    places = index.users.get(tensor, [])
    return [i for i in places if any(out["t"] != tensor for out in index.event(i)["out"])]
