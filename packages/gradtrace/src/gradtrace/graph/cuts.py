"""Where a value leaves the graph: operations through whose result no gradient flows back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradtrace.graph.index import TraceIndex
from gradtrace.trace import Event, Value

How = Literal["detach", "data", "no_grad", "new_tensor", "number", "no_derivative", "none"]
"""The cause of the cut: `detach()`; `.data`; a block in which gradients are off; a tensor made from
another by `torch.tensor`; a number read with `.item()`; an operation without a derivative, or
without one for this input; a backward that returned None."""
_NEW_TENSOR = ("tensor", "as_tensor", "new_tensor", "asarray", "from_numpy")


@dataclass(frozen=True)
class Cut:
    """A place at which no gradient flows back: the operation, and its line."""

    how: How
    op: str
    line: int | None
    source: str = ""
    """The text of the script, where it is known: "h.detach()"."""
    file: str = ""
    """The other file of the user in which the line is, as in an event."""


def cut_at(event: Event, how: How | None = None) -> Cut:
    """The cut that an operation makes."""
    how, op = how or _how(event), event.get("op", "")
    return Cut(how, op, event["line"], event.get("src", ""), event.get("file", ""))


def cut_inputs(index: TraceIndex) -> dict[int, list[str]]:
    """For each operation with a result outside of the graph its inputs that are in the graph."""
    tensors = index.trace.tensors
    in_graph = {key: each["leaf"] and each["rg"] for key, each in tensors.items()}
    found: dict[int, list[str]] = {}
    for place in index.operations:
        event = index.event(place)
        outside = [out["t"] for out in event["out"] if "n" not in out]
        if outside and uses_values(event):
            inputs = [t for t in dict.fromkeys(event["ins"]) if in_graph[t] and t not in outside]
            # A trace records only at its end whether a leaf requires a gradient: this one may have
            # been frozen then.
            types = (tensors[out["t"]].get("dtype", "float32") for out in event["out"])
            differentiable = all(each.startswith(("float", "bfloat", "complex")) for each in types)
            if differentiable and _how(event) == "no_derivative":
                inputs = [t for t in inputs if not tensors[t]["leaf"]]
            if inputs:
                found[place] = inputs
        for out in event["out"]:
            leaf = tensors[out["t"]]["leaf"] and tensors[out["t"]]["rg"]
            in_graph[out["t"]] = "n" in out or (leaf and "no_grad" not in event)
    return found


def last_cuts(index: TraceIndex) -> dict[str, int | None]:
    """For the roots of the backward passes and every tensor that they were computed from: the cut
    nearest to the loss, None if one of the ways isn't cut.

    Events are visited from the last to the first, so that every use of a tensor comes before its
    creation.
    """
    inputs_cut = cut_inputs(index)
    events = index.trace.events
    uncut = len(events)
    nearest: dict[str, int] = {}
    numbers: set[float] = set()
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if event["k"] == "backward":
            nearest.update((root, uncut) for root in event["roots"] if root is not None)
        elif event["k"] == "read" and holds(numbers, event["got"]):
            nearest.setdefault(event["t"], place)
        elif event["k"] == "op" and uses_values(event):
            for out in event["out"]:
                if (after := nearest.get(out["t"])) is None:
                    continue
                numbers.update(fractions(event.get("args")))
                cut = inputs_cut.get(place, ()) if "n" not in out else ()
                for tensor in event["ins"]:
                    here = place if tensor in cut and after == uncut else after
                    nearest[tensor] = max(here, nearest.get(tensor, -1))
    return {tensor: None if place == uncut else place for tensor, place in nearest.items()}


def _how(event: Event) -> How:
    op = event["op"].strip("_")
    if event["k"] == "read":
        return "number"
    if op in ("detach", "data"):
        return op
    if event.get("no_grad"):
        return "no_grad"
    return "new_tensor" if op in _NEW_TENSOR else "no_derivative"


def uses_values(event: Event) -> bool:
    """Whether it uses the numbers of its inputs, not just a shape or a type."""
    op = event["op"]
    return not (op.endswith("_like") or (op.startswith("new_") and op != "new_tensor"))


def fractions(args: object) -> Iterator[float]:
    """The numbers among recorded arguments, without integers, which often coincide."""
    if isinstance(args, float) and not args.is_integer():
        yield args
    elif isinstance(args, (list, dict)):
        for part in args.values() if isinstance(args, dict) else args:
            yield from fractions(part)


def holds(numbers: Iterable[float], value: Value) -> bool:
    """Whether one of these numbers is in a value, whose numbers are rounded."""
    read = list(fractions(value.get("v")))
    return any(abs(one - other) <= 1e-4 * max(1, abs(one)) for one in numbers for other in read)
