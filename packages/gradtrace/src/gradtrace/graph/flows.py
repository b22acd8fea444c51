"""The gradient streams of a picture: how much flowed back along each edge, and its sign."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gradtrace.graph.build import Graph
from gradtrace.trace import Trace, Value
from gradtrace.values import count, flat, least_and_greatest, norm, oddity

SIGNS = ("plus", "minus", "mixed", "zero", "odd")
"""All numbers are positive, negative, mixed, or zero; or some are not finite."""
MIN_WIDTH, MAX_WIDTH = 2, 10
"""Pixels. The area of a square whose side is the stream is proportional to the gradient."""
_MOST_ADDED = 1000
"""Tensors with up to this many elements are added by element; for more, the norms are added."""

Way = tuple[str, int]
"""The node that sends a gradient, and the index of the input: an edge of the graph."""


@dataclass(frozen=True)
class Flow:
    """The gradient that flowed back along an edge so far, summed over passes: its Euclidean norm
    (for one number its absolute value), and one of `SIGNS`."""

    size: float
    sign: str


def flows(trace: Trace) -> Iterator[tuple[int, dict[Way, Flow]]]:
    """The index of each event at which gradients were sent, with the flow on each edge by then."""
    sent: dict[Way, list[Value]] = {}
    for index, event in enumerate(trace.events):
        if event["k"] == "node" and "gout" in event:
            found = {}
            for slot, value in enumerate(event["gout"]):
                if value is not None and norm(value) is not None:
                    way = event["n"], slot
                    sent.setdefault(way, []).append(value)
                    found[way] = _sum(sent[way])
            yield index, found


def largest_flow(trace: Trace) -> float:
    """The size of the largest flow that is finite; 0 without any."""
    sizes = (flow.size for _, found in flows(trace) for flow in found.values())
    return max(filter(math.isfinite, sizes), default=0.0)


def flow_widths(
    trace: Trace, graph: Graph, largest: float | None = None
) -> dict[int, dict[str, str]]:
    """For each event that sends gradients, the texts of the slots of its edges: `e4w` is the width
    of the stream on edge `e4` from then on, and its sign.

    `largest`: the flow drawn at the greatest width; by default the largest of the trace.
    """
    largest = largest_flow(trace) if largest is None else largest
    edges: dict[Way, list[str]] = {}
    for edge in graph.edges:
        if edge.kind == "gradient":
            edges.setdefault((edge.target, edge.slot), []).append(edge.key)
    return {
        index: {
            f"{key}w": _text(flow, largest)
            for way, flow in found.items()
            for key in edges.get(way, ())
        }
        for index, found in flows(trace)
    }


def flow_signs(texts: Mapping[str, Iterable[str]]) -> list[str]:
    """The signs of the streams in a picture, whose slots show these texts."""
    shown = {
        text.partition(" ")[2]
        for slot, texts in texts.items()
        if slot.startswith("e") and slot.endswith("w")
        for text in texts
    }
    return [sign for sign in SIGNS if sign in shown]


def _text(flow: Flow, largest: float) -> str:
    share = min(1.0, flow.size / largest) if largest else 0.0
    share = share if flow.sign != "odd" else 1.0
    return f"{MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * math.sqrt(share):.1f}px {flow.sign}"


def _sum(values: list[Value]) -> Flow:
    """The sum of several values; if they cannot be added, the sum of their norms."""
    if len(values) == 1:
        return Flow(norm(values[0]) or 0.0, _sign(values[0]))
    columns = [_numbers(value) for value in values]
    if all(columns) and len(set(map(len, columns))) == 1:
        sums = [sum(row) for row in zip(*columns, strict=True)]
        sums = [n if math.isfinite(n) else str(n) for n in sums]
        return Flow(math.hypot(*map(float, sums)), _sign({"s": [len(sums)], "v": sums}))
    signs = {_sign(value) for value in values} - {"zero"}
    sign = "odd" if "odd" in signs else next(iter(signs), "zero") if len(signs) < 2 else "mixed"
    return Flow(sum(norm(value) or 0.0 for value in values), sign)


def _numbers(value: Value) -> list[float]:
    """The elements of a small tensor of real numbers; none of another."""
    if "v" not in value or count(value) > _MOST_ADDED or least_and_greatest(value) is None:
        return []
    return [float(n) for n in flat(value["v"])] * (count(value) if value.get("c") else 1)


def _sign(value: Value) -> str:
    if oddity(value):
        return "odd"
    bounds = least_and_greatest(value)
    if bounds is None or bounds[0] < 0 < bounds[1]:
        return "mixed"
    return "plus" if bounds[1] > 0 else "minus" if bounds[0] < 0 else "zero"
