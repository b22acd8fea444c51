"""The parts of a recording that are shown one at a time: backward passes that belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradtrace.graph.build import build_graph
from gradtrace.graph.groups import MAX_WHOLE
from gradtrace.graph.passes import backward_passes, select_passes, until_next_pass
from gradtrace.trace import Event, Trace, nodes_made

MAX_PASSES = 10
"""A script is recorded for so many passes, unless later ones are asked for."""


@dataclass(frozen=True)
class Excerpt:
    """The backward passes from `first` to `last` with what belongs to them; 0 where there are none,
    as in a script without a pass, and in a forward pass that failed."""

    trace: Trace
    first: int
    last: int

    @property
    def fails(self) -> bool:
        """Whether an error was raised in it."""
        return any(event["k"] == "error" for event in self.trace.events)


def excerpts(trace: Trace, asked: tuple[int, int] | None) -> list[Excerpt]:
    """All parts of a recording, in order. `asked`: passes that are to be one of them."""
    total = len(backward_passes(trace))
    if not total:
        return [Excerpt(trace, 0, 0)]
    first, last = asked or (1, 0)
    between = [asked] if asked else []
    ranges = [*_ranges(trace, 1, first - 1), *between, *_ranges(trace, last + 1, total)]
    failed = _failed_forward_pass(trace, total)
    begun = len(trace.events) - len(failed)
    trace = replace(trace, events=trace.events[:begun])
    found = [Excerpt(_part(trace, *ends, total), *ends) for ends in ranges]
    if failed:
        hooks = [event for event in trace.events if event["k"] == "reg"]
        found.append(Excerpt(replace(trace, events=[*hooks, *failed]), 0, 0))
    return found


def first_shown(parts: list[Excerpt], asked: tuple[int, int] | None) -> int:
    """The index of the part at which a page opens: what was asked for, else the last that failed,
    else the first."""
    if asked:
        return [(part.first, part.last) for part in parts].index(asked)
    return max((index for index, part in enumerate(parts) if part.fails), default=0)


def can_be_drawn(trace: Trace) -> bool:
    """Whether there is a backward pass or an error, and a graph."""
    failed = any(event["k"] == "error" for event in trace.events)
    return bool((backward_passes(trace) or failed) and build_graph(trace).boxes)


def without_unfinished(trace: Trace, max_passes: int) -> Trace:
    """A trace that ended while the script ran, cut to what is finished: without later passes than
    the last one wanted, and without the node that was running (it has sent no gradients, but has
    not failed either)."""
    failed = {event["p"] for event in trace.events if event["k"] == "error" and "p" in event}
    if len(backward_passes(trace)) > max_passes:
        trace = until_next_pass(select_passes(trace, 1, max_passes), max_passes)
    kept = [e for e in trace.events if _is_finished(e) or e["p"] in failed]
    return replace(trace, events=kept)


def _is_finished(event: Event) -> bool:
    return {"node": "gout", "acc": "after"}.get(event["k"], "k") in event


def _failed_forward_pass(trace: Trace, total: int) -> list[Event]:
    """What happened after all backward passes, if a forward pass was begun there that failed."""
    after = trace.events[len(until_next_pass(trace, total).events) :]
    failed = any(event["k"] == "error" for event in after)
    return after if failed and any(map(nodes_made, after)) else []


def _part(trace: Trace, first: int, last: int, total: int) -> Trace:
    if (first, last) == (1, total):
        return trace
    selected = select_passes(trace, first, last)
    part = selected if last == total else until_next_pass(selected, last)
    kept = {id(event) for event in part.events}
    events = trace.events
    ended = len(until_next_pass(trace, first - 1).events) if first > 1 else 0
    begins = next(i for i, e in enumerate(events) if e["k"] == "backward" and e["p"] == first)
    before = (e for e in events[ended:begins] if e["k"] in ("grad_set", "set", "print"))
    kept |= {id(event) for event in before}
    return replace(part, events=[event for event in events if id(event) in kept])


def _ranges(trace: Trace, first: int, last: int) -> list[tuple[int, int]]:
    """The passes from the first to the last, those together that belong to one step of an
    optimizer, that share nodes, or that fit in one picture; a pass that fails with what led to it.
    """
    if first > last:
        return []
    failed = {event["p"] for event in trace.events if event["k"] == "error" and "p" in event}
    step_after = _passes_before_steps(trace)
    last_step = max(step_after, default=0)
    ran: dict[int, set[str]] = {}
    for event in trace.events:
        if event["k"] == "node":
            ran.setdefault(event["p"], set()).add(event["n"])
    ranges = [(first, first)]
    for number in range(first + 1, last + 1):
        begin, before = ranges[-1]
        met = set().union(*(ran.get(p, set()) for p in range(begin, number)))
        together = number in failed or bool(met & ran.get(number, set()))
        if not together and before not in step_after:
            together = number <= last_step or _fits(trace, begin, number)
        if together:
            ranges[-1] = begin, number
        else:
            ranges.append((number, number))
    return ranges


def _passes_before_steps(trace: Trace) -> set[int]:
    """The passes after which an optimizer made a step, before the next pass began."""
    found, number = set(), 0
    for event in trace.events:
        if event["k"] == "backward":
            number = event["p"]
        elif event["k"] == "step":
            found.add(number)
    return found


def _fits(trace: Trace, first: int, last: int) -> bool:
    """Whether these passes have room in one picture that isn't folded."""
    return len(build_graph(select_passes(trace, first, last)).boxes) <= MAX_WHOLE
