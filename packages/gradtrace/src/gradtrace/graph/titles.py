"""What boxes are called: a name of the script, a module, or the expression that was evaluated."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from gradtrace.graph.index import TraceIndex
from gradtrace.graph.module_calls import BOUNDARY, boundary_sides, insides_of_calls
from gradtrace.graph.statements import Statements
from gradtrace.trace import Event, Trace, nodes_made

LONGEST_EXPRESSION = 22
"""Characters of an expression that a box shows in place of a name."""


class Titles:
    """The titles of the tensors and operations of a trace."""

    def __init__(self, index: TraceIndex) -> None:
        self.index = index
        self.statements = Statements(index.trace)
        self._known: dict[str, str] = {}

    def tensor(self, key: str) -> str:
        """The name of a tensor in the script, else the expression that gave it, else what the
        operation is called that made it."""
        if key not in self._known:
            makers = self.index.makers.get(key)
            self._known[key] = self._name(key) or (self._made(makers[0], key) if makers else "")
        return self._known[key]

    def operation(self, place: int, tensor: str) -> str:
        """What an operation is called, after the tensor that it gave.

        Inside of a module it is the module, with what it is in there where the module does more
        than one thing; but what comes out of the outermost one may have a name outside.
        """
        event = self.index.event(place)
        if "within" in event:
            return self._name_outside(event, tensor) or self._inside(event, tensor)
        if name := self._name(tensor):
            return name
        return f"{event['op']}(…)" if place in self.insides else short_expression(event)

    @cached_property
    def sides(self) -> dict[int, str]:
        """At which side of its module each boundary is."""
        return boundary_sides(self.index)

    @cached_property
    def insides(self) -> set[int]:
        """The operations within a call of which a later operation is a part."""
        return insides_of_calls(self.index)

    def _made(self, place: int, tensor: str) -> str:
        source = self.index.event(place).get("src", "")
        whole = place not in self.insides and 0 < len(source) <= LONGEST_EXPRESSION
        return source if whole else self.operation(place, tensor)

    def _name(self, tensor: str) -> str:
        names = self.index.trace.tensors[tensor].get("names", [""])
        return next((name for name in names if not name.startswith("self.")), names[0])

    def _name_outside(self, event: Event, tensor: str) -> str:
        """The name that a tensor gets at the line that called the outermost module, if any."""
        names = self.index.trace.tensors[tensor].get("names", ())
        outermost = self._outermost(event)
        uses = (self.index.event(place) for place in self.index.users.get(tensor, ()))
        if not names or any(use is not event and self._outermost(use) == outermost for use in uses):
            return ""
        call = self.index.trace.calls[outermost]
        assigned = self.statements.assigned(call["line"], call.get("file", ""))
        return next((name for name in names if name in assigned), "")

    def _outermost(self, event: Event) -> str | None:
        """The outermost call of a module in which an operation ran."""
        key = event.get("within")
        while key and "within" in self.index.trace.calls[key]:
            key = self.index.trace.calls[key]["within"]
        return key

    def _inside(self, event: Event, tensor: str) -> str:
        key = event["within"]
        call = self.index.trace.calls[key]
        module = self._path(event, call["path"])
        if (number := self._numbers[key]) > 1:
            module += f" #{number}"
        if (event["line"], event.get("file")) != (call["line"], call.get("file")):
            return f"{module}: {self._name(tensor) or short_expression(event)}"
        return module if self._operations_in[key] < 2 else f"{module}: {event['op']}"

    def _path(self, event: Event, path: str) -> str:
        """The path of a module; where it has several, as in the names of its parameters, unless
        these are shared with another module."""
        root = path.partition(".")[0]
        for tensor in event["ins"]:
            names = self.index.trace.tensors[tensor].get("names", ())
            owners = {name.rpartition(".")[0] for name in names}
            if path in owners and sum(each.partition(".")[0] == root for each in owners) == 1:
                return self._name(tensor).rpartition(".")[0] or path
        return path

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """For each call which one it is of the same module, within one call of another module."""
        met: Counter = Counter()
        found = {}
        for key, call in self.index.trace.calls.items():
            same = call.get("within", key), call["path"]
            met[same] += 1
            found[key] = met[same]
        return found

    @cached_property
    def _operations_in(self) -> Counter:
        """How many operations, not of modules in it, each call added to the graph."""
        events = map(self.index.event, self.index.operations)
        return Counter(
            e["within"] for e in events if "within" in e and e["op"] != BOUNDARY and nodes_made(e)
        )


def short_expression(event: Event) -> str:
    """The source text of an operation; the name of the operation where the text is long."""
    source = event.get("src") or ""
    return source if 0 < len(source) <= LONGEST_EXPRESSION else f"{event['op']}(…)"


def is_module_boundary(trace: Trace, key: str) -> bool:
    """Whether a node was put at the boundary of a module by a full backward hook."""
    return trace.nodes[key]["op"].startswith("BackwardHookFunction")
