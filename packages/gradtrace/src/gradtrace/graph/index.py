"""Lookups in a trace: which operation made a tensor, which use it, which nodes ran."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property

from gradtrace.trace import Event, Trace, nodes_made


class TraceIndex:
    """Precomputed answers that would otherwise take a search through all events of a trace.

    Events are identified by their index in `trace.events`.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def operations(self) -> list[int]:
        """The operations, in order."""
        return [i for i, event in enumerate(self.trace.events) if event["k"] == "op"]

    @cached_property
    def makers(self) -> dict[str, list[int]]:
        """For each tensor the operations that returned it or changed it in place."""
        return self._by_key(lambda event: (out["t"] for out in event["out"]))

    @cached_property
    def users(self) -> dict[str, list[int]]:
        """For each tensor the operations that use it."""
        return self._by_key(lambda event: event["ins"])

    @cached_property
    def makers_of_nodes(self) -> dict[str, list[int]]:
        """For each autograd node the operations that made it."""
        return self._by_key(nodes_made)

    @cached_property
    def nodes(self) -> dict[str, str]:
        """For each tensor the node that made it; the last one, if it was changed in place."""
        made = (out for i in self.operations for out in self.trace.events[i]["out"])
        return {out["t"]: out["n"] for out in made if "n" in out}

    @cached_property
    def ran(self) -> set[str]:
        """The nodes that ran in a backward pass, without those that add to `.grad`."""
        return {event["n"] for event in self.trace.events if event["k"] == "node"}

    @cached_property
    def failed(self) -> Event | None:
        """The error that an operation of the forward pass raised, if it ended the script."""
        errors = (event for event in self.trace.events if event["k"] == "error")
        return next((event for event in errors if "ins" in event), None)

    def event(self, place: int) -> Event:
        """The event at a place."""
        return self.trace.events[place]

    def maker_before(self, tensor: str, place: int) -> int | None:
        """The last operation before a place that made a tensor or changed it."""
        makers = self.makers.get(tensor, [])
        found = bisect_left(makers, place)
        return makers[found - 1] if found else None

    def node_before(self, tensor: str, place: int) -> str | None:
        """The node of a tensor before a place; None for a leaf, or a tensor outside of graphs."""
        maker = self.maker_before(tensor, place)
        outs = () if maker is None else self.event(maker)["out"]
        return next((out.get("n") for out in outs if out["t"] == tensor), None)

    def _by_key(self, keys_of: Callable[[Event], Iterable[str]]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index in self.operations:
            for key in dict.fromkeys(keys_of(self.trace.events[index])):
                found.setdefault(key, []).append(index)
        return found
