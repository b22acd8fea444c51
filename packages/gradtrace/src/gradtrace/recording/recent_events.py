"""Keeps of a recording only its last steps, so that it may go on until the script fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradtrace.recording.observers.module_calls import ModuleCalls
from gradtrace.recording.registry import GraphRegistry
from gradtrace.trace import Trace

_KEPT = 2
"""So many steps of an optimizer are kept at least; backward passes, where there are no steps."""


class RecentEvents:
    """Forgets what came before the last steps of a trace, each time that it has grown much."""

    def __init__(self, trace: Trace, registry: GraphRegistry, calls: ModuleCalls) -> None:
        self._trace, self._registry, self._calls = trace, registry, calls
        self._next = 0

    def forget(self, most: int) -> None:
        """Forget the older events, if there are `most`, or twice as many as were kept before."""
        events = self._trace.events
        if len(events) < max(most, self._next):
            return
        cut = self._beginning()
        del events[:cut]
        self._next = 2 * len(events)
        texts = {text for event in events for text in _texts(event)}
        self._calls.keep(texts)
        self._registry.keep({text.removeprefix("@").removesuffix(".grad") for text in texts}, cut)

    def number_passes(self) -> int:
        """Count the passes from 1, at the end; gives how many were forgotten."""
        trace = self._trace
        first = next((e["p"] for e in trace.events if e["k"] == "backward"), 1)
        for entry in (*trace.events, *trace.calls.values()):
            if "p" in entry:
                entry["p"] -= first - 1
        return first - 1

    def _beginning(self) -> int:
        """The index of the first event that is kept."""
        for kind in ("step", "backward_end"):
            ends = [i for i, event in enumerate(self._trace.events) if event["k"] == kind]
            if len(ends) > _KEPT:
                return ends[-_KEPT - 1] + 1
        return 0


def _texts(thing: Any) -> Iterator[str]:
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, (dict, list)):
        for part in thing.values() if isinstance(thing, dict) else thing:
            yield from _texts(part)
