"""A trace with lookups: its passes, its steps, which operation made what, and readable names."""

from __future__ import annotations

import ast
import bisect
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from gradtrace.doctor.finding import Place
from gradtrace.graph.cuts import Cut, cut_at, cut_inputs, last_cuts
from gradtrace.graph.index import TraceIndex
from gradtrace.graph.parameters import Parameter, parameters
from gradtrace.graph.titles import Titles
from gradtrace.trace import Event, Trace, Value
from gradtrace.values import is_zero


@dataclass
class Pass:
    """A backward pass: its first event, its nodes, and the gradients that reached leaves."""

    event: Event
    begin: int
    end: int
    nodes: list[Event] = field(default_factory=list)
    accs: list[Event] = field(default_factory=list)
    failed: bool = False

    @property
    def ran(self) -> set[str]:
        return {event["n"] for event in (*self.nodes, *self.accs)}

    @property
    def whole(self) -> bool:
        """Whether its nodes were recorded, not only the gradients of leaves."""
        return not self.event.get("outline")

    @property
    def writes(self) -> bool:
        """Whether it writes `.grad`, as `backward()` does."""
        return self.event["api"] == "backward"


@dataclass(frozen=True)
class Step:
    """A step of an optimizer, at an index of the events."""

    at: int
    event: Event

    @property
    def rows(self) -> list[dict]:
        return self.event["params"]

    @property
    def has_closure(self) -> bool:
        """Whether a closure computed gradients during it."""
        return bool(self.event.get("closure"))

    @property
    def tensors(self) -> frozenset[str]:
        return frozenset(row["t"] for row in self.rows)


class Run:
    """One recorded run of a script."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.events = trace, trace.events
        self.index = TraceIndex(trace)
        self._titles = Titles(self.index)
        self.passes = list(_passes(self.events))
        self.pass_number = {each.event["p"]: each for each in self.passes}
        self.steps = [Step(i, e) for i, e in enumerate(self.events) if e["k"] == "step"]

    def all(self, *kinds: str) -> Iterator[tuple[int, Event]]:
        """The events of some kinds, each with its index."""
        return ((i, event) for i, event in enumerate(self.events) if event["k"] in kinds)

    def signs(self, *kinds: str) -> list:
        """The signs that were recorded only for the doctor, of some kinds."""
        return [sign for sign in self.trace.health if sign["k"] in kinds]

    def nodes_of(self, file: str) -> list[ast.AST]:
        """The nodes of the syntax tree of a file; "" is the script."""
        return self._titles.statements.nodes(file)

    @cached_property
    def skipped(self) -> list:
        """The steps that a GradScaler skipped, as a gradient was not finite."""
        return [sign for sign in self.signs("scaler_step") if sign.get("skipped")]

    def place(self, event: dict | None) -> Place:
        """Where an event happened, or a sign was seen."""
        return Place(event.get("line"), event.get("file", "")) if event else Place(None)

    def name(self, tensor: str | None) -> str:
        """The name of a tensor in the script; else the expression that made it, or its shape."""
        if tensor not in self.trace.tensors:
            return "?"
        shape = "×".join(map(str, self.trace.tensors[tensor]["shape"])) or "0-d"
        return self._titles.tensor(tensor) or f"({shape} tensor)"

    def names(self, tensors: Iterable[str]) -> list[str]:
        """The names of tensors, each once; several parameters of one name, as the blocks of a loop
        have, are numbered."""
        times: Counter[str] = Counter()
        found = []
        for t in dict.fromkeys(tensors):
            name = self.name(t)
            times[name] += 1
            is_other = times[name] > 1 and self.trace.tensors.get(t, {}).get("param")
            found.append(f"{name} #{times[name]}" if is_other else name)
        return list(dict.fromkeys(found))

    def source(self, event: Event) -> str:
        """The source text that was evaluated, or the name of the operation."""
        text = event.get("src") or event.get("op", "")
        return text if len(text) <= 60 else event.get("op", text[:60])

    @cached_property
    def outcomes(self) -> list[Parameter]:
        """The outcome of each parameter that was there when the first pass began."""
        found = parameters(self.trace, self.index)
        return [each for each in found if not self.trace.tensors[each.tensor].get("gone")]

    @cached_property
    def replaced(self) -> dict[str, str]:
        """The parameters that an optimizer holds although the script has replaced them by others,
        which no optimizer holds: the new one by the old one."""
        newer = {
            name: t
            for t in self.gradients
            if t not in self.optimized
            for name in self.trace.tensors[t].get("names", ())
        }
        return {
            t: newer[name]
            for t in self.optimized
            if t not in self.gradients
            for name in self.trace.tensors[t].get("names", ())
            if name in newer and "." in name
        }

    @cached_property
    def optimized(self) -> dict[str, None]:
        """The tensors that a step of an optimizer was given, in order."""
        return dict.fromkeys(row["t"] for step in self.steps for row in step.rows)

    def is_held(self, tensor: str) -> bool:
        """Whether an optimizer was given a tensor."""
        return tensor in self.optimized or "opt" in self.trace.tensors[tensor]

    @cached_property
    def optimizes(self) -> bool:
        """Whether the script has an optimizer."""
        return bool(self.steps) or any("opt" in each for each in self.trace.tensors.values())

    def maker(self, tensor: str, before: int | None = None) -> Event | None:
        """The last operation before an event that returned a tensor."""
        found = self.index.makers.get(tensor, [])
        at = len(found) if before is None else bisect.bisect_left(found, before)
        return self.events[found[at - 1]] if at else None

    def cuts_of(self, given: Pass) -> dict[str, tuple[int, Cut]]:
        """For each tensor from which the root of a pass was computed, if every way is cut: the cut
        nearest to this root, after its place among the operations."""
        before = [event for event in self.events[: given.begin] if event["k"] in ("op", "read")]
        alone = TraceIndex(replace(self.trace, events=[*before, given.event]))
        cuts = last_cuts(alone).items()
        return {t: (place, cut_at(alone.event(place))) for t, place in cuts if place is not None}

    @cached_property
    def cut_places(self) -> set[int]:
        """The operations with a result outside of the graph, and an input in it."""
        return set(cut_inputs(self.index))

    def op_of(self, node: str) -> Event | None:
        """The operation that made a node, if it was recorded."""
        call = self.trace.nodes[node].get("call")
        return None if call is None else self.events[call]

    @cached_property
    def pass_of_node(self) -> dict[str, Pass]:
        """The first pass that ran each node."""
        found: dict[str, Pass] = {}
        for each in self.passes:
            for node in each.ran:
                found.setdefault(node, each)
        return found

    @cached_property
    def gradients(self) -> dict[str, list[tuple[int, Event]]]:
        """The gradients that reached each leaf's `.grad`: its `acc` events, with their indices."""
        found = defaultdict(list)
        for index, event in self.all("acc"):
            if self.pass_number[event["p"]].writes and "after" in event:
                found[event["t"]].append((index, event))
        return found

    @cached_property
    def clearings(self) -> dict[str, list[tuple[int, Event]]]:
        """Where the `.grad` of each leaf was set to None or to zero."""
        found = defaultdict(list)
        for index, event in self.all("grad_set"):
            if is_cleared(event.get("after")):
                found[event["t"]].append((index, event))
        return found

    @cached_property
    def writes(self) -> dict[str, list[int]]:
        """Where the script itself changed the value of each leaf."""
        found = defaultdict(list)
        for index, event in self.all("set", "op"):
            if event["k"] == "set":
                found[event["t"]].append(index)
            else:
                for out in event["out"]:
                    if out.get("inplace") and self.trace.tensors[out["t"]]["leaf"]:
                        found[out["t"]].append(index)
        return found

    @cached_property
    def used_gradients(self) -> set[str]:
        """The leaves whose `.grad` an operation of the script took as an argument."""
        found = set()
        for _, event in self.all("op"):
            for argument in _flat(event["args"]):
                if isinstance(argument, str) and argument.endswith(".grad"):
                    found.add(argument.removeprefix("@").removesuffix(".grad"))
        return found

    @cached_property
    def before_batch_norm(self) -> dict[str, Event]:
        """The biases that a BatchNorm in training mode subtracts again, with the operation that
        added each."""
        found = {}
        for index, event in self.all("op"):
            if event["op"] != "batch_norm" or not is_training(event):
                continue
            made = self.maker(event["ins"][0], index)
            if made is None or not made["op"].startswith(("conv", "linear")):
                continue
            for t in made["ins"][1:]:
                tensor = self.trace.tensors[t]
                if tensor.get("param") and len(tensor["shape"]) == 1 and t in self.gradients:
                    found[t] = made
        return found

    def uses(self, tensor: str) -> list[tuple[int, Event]]:
        """The operations that use a tensor, with their indices."""
        return [(place, self.events[place]) for place in self.index.users.get(tensor, ())]

    @cached_property
    def failure(self) -> tuple[str, Place, int | None] | None:
        """The message of the error that ended the script, where, and in which backward pass."""
        last = next((e for e in reversed(self.events) if e["k"] != "backward_end"), {"k": ""})
        last_error = last if last["k"] == "error" else None
        if signs := self.signs("failure"):
            number = last_error.get("p") if last_error else None
            return signs[-1]["text"], self.place(signs[-1]), number
        if last_error is None:
            return None
        return last_error["msg"], self.place(last_error), last_error.get("p")

    def computed_from(self, tensor: str) -> list[str]:
        """The parameters from which a layer recomputes its weight in each call:
        "layer.parametrizations.weight.original", or "layer.weight_orig"; none for another
        tensor."""
        made = self.maker(tensor)
        key, leaves = (made.get("within", ""), [*made["ins"]]) if made else ("", [])
        names = {t: entry.get("names", ()) for t, entry in self.trace.tensors.items()}
        while call := self.trace.calls.get(key):
            pattern = rf"{re.escape(call['path'])}\.\w+_(orig|g|v)"  # weight_norm, prune
            if call["kind"] == "ParametrizationList":
                pattern, leaves = r".+\.parametrizations\.\w+\.original\d*", self._leaves(tensor)
            if found := [n for t in leaves for n in names[t] if re.fullmatch(pattern, n)]:
                return found
            key = call.get("within", "")
        return []

    def _leaves(self, tensor: str) -> list[str]:
        """The leaves from which a tensor is computed."""
        found, nodes = {}, [self.trace.tensors[tensor].get("n")]
        for key in nodes:  # the list grows
            node = self.trace.nodes.get(key, {"next": ()})
            found |= {node["leaf"]: None} if "leaf" in node else {}
            nodes += [link[0] for link in node["next"] if link and link[0] not in nodes]
        return list(found)

    def module_path(self, event: Event) -> str:
        """The innermost module in which an operation was called: "net.layer1.0.conv1"."""
        call = self.trace.calls.get(event.get("within", ""))
        return call["path"] if call else ""

    def line_text(self, place: Place) -> str:
        """The text of a line."""
        source = self.trace.sources.get(place.file, self.trace.source)
        lines = re.split(r"\r?\n", source)
        return lines[place.line - 1] if place.line and place.line <= len(lines) else ""


def is_cleared(grad: Value | None) -> bool:
    """Whether `.grad` holds nothing: None, or zeros."""
    return grad is None or is_zero(grad)


def is_training(event: Event) -> bool:
    """Whether a dropout or a BatchNorm ran in training mode. In evaluation mode a dropout returns
    its input, without an operation."""
    return argument(event, 5 if event["op"] == "batch_norm" else 2, "training") is True


def argument(event: Event, place: int, name: str) -> object:
    """An argument of an operation, by its place or its name; None if it wasn't given."""
    positional, named = (*event["args"], {})[:2]
    return named.get(name, positional[place] if len(positional) > place else None)


def _flat(nested: object) -> Iterator[object]:
    """The items in nested lists and dictionaries."""
    if isinstance(nested, (list, dict)):
        for part in nested.values() if isinstance(nested, dict) else nested:
            yield from _flat(part)
    else:
        yield nested


def _passes(events: list[Event]) -> Iterator[Pass]:
    found: dict[int, Pass] = {}
    for index, event in enumerate(events):
        if event["k"] == "backward":
            found[event["p"]] = Pass(event, index, len(events))
        elif event["k"] == "node":
            found[event["p"]].nodes.append(event)
        elif event["k"] == "acc":
            found[event["p"]].accs.append(event)
        elif event["k"] == "error" and "p" in event:
            found[event["p"]].failed = True
        elif event["k"] == "backward_end":
            found[event["p"]].end = index
    return iter(found.values())
