"""The changes in the picture at each event of a trace: the texts of its slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from gradtrace.graph.build import FAILED, Edge, Graph
from gradtrace.graph.passes import backward_passes
from gradtrace.story.value_text import (
    edge_label,
    format_in_sentence,
    format_value,
    format_values,
    on_one_line,
    without_shape,
)
from gradtrace.trace import Event, LocalDerivative, Trace, Value
from gradtrace.words import LANGUAGES

PASS_SIGNS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
"""The signs that number backward passes."""
LONGEST_HOOK = 40
"""The maximum number of characters of a hook's name and of its effect on a gradient."""
LONGEST_HISTORY = 4
"""The number of values that a history shows; of more, the first and the last."""
LONGEST_LINE = 20
"""The most characters of a history on one line; a longer one has a line for each value."""
LONGEST_LAMBDA = 32
"""The maximum number of characters of a lambda that stand for its name."""
REPLACING_HOOKS = ("full_backward", "full_backward_pre", "backward")
"""Hooks on modules whose result replaces the gradient."""
_NOT_WITHIN = ("hook", "backward", "node", "acc", "backward_end", "error")
"""Events that are never attributed to a hook."""


@dataclass
class GraphState:
    """The texts of all slots. `number_passes`: put the sign of its pass before each gradient."""

    number_passes: bool = False
    slots: dict[str, str] = field(default_factory=dict)
    _before: dict[str, str | None] = field(default_factory=dict)
    """The previous texts of slots changed since the changes were last taken."""
    values: dict[str, list[str]] = field(default_factory=dict)
    """The history of the value of each box that shows one."""
    _grads: dict[str, list[str]] = field(default_factory=dict)
    _why: dict[str, str] = field(default_factory=dict)
    _received: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    _hooks: dict[str, list[str]] = field(default_factory=dict)
    _effects: dict[tuple[str, str], str] = field(default_factory=dict)

    def take_changes(self) -> dict[str, str]:
        """The slots whose texts have changed since this was last called."""
        written, self._before = self._before, {}
        return {key: self.slots[key] for key, text in written.items() if self.slots[key] != text}

    def set_value(self, box: str, text: str, initial: bool = False) -> None:
        """The value of a box, appended to its history; `initial` begins the history anew."""
        before = [] if initial else self.values.get(box, [])
        self.values[box] = _appended(before, text)
        self.write(f"{box}v", format_history(self.values[box]))

    def init_grad(self, box: str) -> None:
        """The `.grad` of a leaf tensor is None, until another value is set."""
        if f"{box}g" not in self.slots:
            self.write(f"{box}g", "None")

    def set_grad(self, box: str, text: str) -> None:
        """The `.grad` of a leaf tensor, appended to its history."""
        before = self._grads.get(box, [])
        if (before or text != "None") and before[-1:] != [text]:
            self._grads[box] = [*before, text]
            self._write_grad(box)

    def explain(self, box: str, text: str) -> None:
        """Why a leaf tensor has this `.grad`; `{grad}` in the text stands for it."""
        self._why[box] = text
        self._write_grad(box)

    def set_received(self, box: str, pass_number: int, text: str) -> None:
        """The gradient that a node received in a pass, after the one that a hook replaced."""
        passes = self._received.setdefault(box, {})
        passes[pass_number] = _appended(passes.get(pass_number, []), text)
        histories = {p: format_history(texts) for p, texts in passes.items()}
        self._set_numbered(f"{box}g", histories)

    def set_sent(self, edge: str, pass_number: int, text: str) -> None:
        """The gradient sent along an edge in a backward pass."""
        passes = self._received.setdefault(edge, {})
        passes[pass_number] = [text]
        self._set_numbered(edge, {p: texts[0] for p, texts in passes.items()})

    def add_hook(self, box: str, name: str, repeat: bool = True) -> None:
        """Add a hook to a box; `repeat`: even if it already has one of that name."""
        names = self._hooks.setdefault(box, [])
        if repeat or name not in names:
            names.append(name)
        self._write_hooks(box)

    def set_effect(self, box: str, hook: str, pass_number: int, text: str) -> None:
        """The gradients before and after a hook of a leaf in the last pass: next to the hook's
        name, or in its place if there is no room for both."""
        (self._effects[box, hook],) = self._numbered({pass_number: text})
        self._write_hooks(box)

    def _write_hooks(self, box: str) -> None:
        names = self._hooks.get(box, [])
        texts = [" ".join(filter(None, [name, self._effects.get((box, name))])) for name in names]
        if len(texts) == 1 and len(texts[0]) > LONGEST_HOOK:
            texts = [self._effects.get((box, name), name) for name in names]
        self.write(f"{box}h", ", ".join(texts))

    def _write_grad(self, box: str) -> None:
        text = format_history(self._grads.get(box, ["None"]))
        self.write(f"{box}g", self._why.get(box, "{grad}").replace("{grad}", text))

    def _set_numbered(self, slot: str, texts: dict[int, str]) -> None:
        rows = self._numbered(texts)
        several_lines = any("\n" in text for text in texts.values())
        self.write(slot, ("\n" if several_lines else "  ").join(rows))

    def _numbered(self, texts: dict[int, str]) -> list[str]:
        return [
            f"{(PASS_SIGNS[n - 1 : n] or f'({n})')} {text}" if self.number_passes else text
            for n, text in texts.items()
        ]

    def write(self, slot: str, text: str) -> None:
        """The text of a slot."""
        self._before.setdefault(slot, self.slots.get(slot))
        self.slots[slot] = text


def format_history(texts: list[str]) -> str:
    """Values one after another; for a matrix, only the last one."""
    if "\n" in texts[-1]:
        return texts[-1]
    texts = [" ".join(line.strip() for line in text.split("\n")) for text in texts]
    if len(texts) > LONGEST_HISTORY:
        texts = [texts[0], "…", texts[-1]]
    line = " → ".join(texts)
    return line if len(line) <= LONGEST_LINE else "\n→ ".join(texts)


def _appended(texts: list[str], text: str) -> list[str]:
    return texts if texts and texts[-1] == text else [*texts, text]


class Effects:
    """Applies the events of a trace to the picture of its graph, one after another.

    `state` is the current state of the picture, `new` the nodes that the last operation has added.
    """

    def __init__(self, trace: Trace, graph: Graph, language: str) -> None:
        self.trace, self.graph, self.language = trace, graph, language
        self.statements = graph.titles.statements
        self.state = GraphState(number_passes=len(set(backward_passes(trace))) > 1)
        self.new: tuple[str, ...] = ()
        self._applied: set[int] = set()
        """The events that were applied together with one before."""
        self._returns: dict[int, Event] = {}
        """The hooks that return after the event at an index."""
        self._replaced: dict[str, dict[str, str]] = {}
        """The gradients that a hook on a module sends along the edges from a node."""
        ends = (i for i, event in enumerate(trace.events) if event["k"] == "backward_end")
        self.last_pass_end = max(ends, default=-1)
        """The index of the event with which the last backward pass ends; -1 without one."""

    def apply(self, index: int, event: Event) -> tuple[str, ...]:
        """Apply the event at an index; returns the boxes and edges that it concerns."""
        touched: Iterable[str] = ()
        if index not in self._applied and (change := _CHANGES.get(event["k"])):
            touched = change(self, index, event)
        if hook := self._returns.pop(index, None):
            self._returned(hook)
        return tuple(dict.fromkeys(touched))

    @cached_property
    def raising_hook(self) -> Event | None:
        """The hook that raised. Hooks of a node are called after it, so the node itself ran."""
        events = (event for event in self.trace.events if event["k"] != "print")
        for before, event in pairwise(events):
            if event["k"] == "error" and "p" in event and before["k"] == "hook":
                return before
        return None

    def boxes(self, tensors: Iterable[str]) -> list[str]:
        """The keys of the boxes of tensors, where they are drawn."""
        return [box for tensor in tensors if (box := self.graph.box_of(tensor))]

    def nodes_made(self, event: Event) -> list[str]:
        """The nodes in the picture that an operation has made."""
        made = (out["n"] for out in event["out"] if out.get("n") in self.graph.boxes)
        return list(dict.fromkeys(made))

    def hook_name(self, event: Event) -> str:
        """The name of a hook; for a lambda its text, if it is short."""
        name = (event.get("fn") or "hook").strip("<>")
        if name != "lambda":
            return name
        text = self.statements.lambda_at(event["line"], event.get("file", ""))
        return text if 0 < len(text) <= LONGEST_LAMBDA else name

    def hooked_tensors(self, on: object) -> list[str]:
        """The tensors that a hook is registered on; none if it is on a module."""
        several = on if isinstance(on, list) else [on]
        return [tensor for tensor in several if tensor in self.trace.tensors]

    def hooked_boxes(self, event: Event) -> list[str]:
        """The boxes of a hook: of its tensors, or of the node at which it was called."""
        if tensors := self.hooked_tensors(event["on"]):
            return self.boxes(tensors)[: 1 if event["hook"] == "tensor" else None]
        return [event["at"]] if event.get("at") in self.graph.boxes else []

    def sent(self, event: Event) -> Iterator[tuple[Edge, Value, LocalDerivative | None]]:
        """The edges along which a node sent gradients, each with the gradient and its factor, if
        that is known."""
        for edge in self.graph.edges_into.get(event["n"], ()):
            if edge.kind != "gradient" or edge.slot >= len(event["gout"]):
                continue
            if (gradient := event["gout"][edge.slot]) is not None:
                local = next(iter(event.get("local", ())[edge.slot : edge.slot + 1]), None)
                yield edge, gradient, local

    def is_replaced(self, index: int, key: str) -> bool:
        """Whether a hook on a module, called after its node, replaces the gradient."""
        for at in range(index + 1, len(self.trace.events)):
            event = self.trace.events[at]
            if event["k"] in ("node", "acc", "backward_end"):
                return False
            replaces = event["k"] == "hook" and event["hook"] in REPLACING_HOOKS
            if replaces and event.get("at") == key and event.get("ret") is not None:
                return True
        return False

    def within(self, index: int, event: Event) -> list[int]:
        """The indices of the events that came while a function ran, if they can be distinguished
        from those after it: by their lines, and in a backward pass everything printed."""
        found = []
        for at in range(index + 1, len(self.trace.events)):
            each = self.trace.events[at]
            printed = each["k"] == "print" and ("at" in event or event["k"] == "call")
            if each["k"] in _NOT_WITHIN or not (printed or self._is_of(event, each)):
                break
            found.append(at)
        return found

    def returns_at(self, index: int, event: Event) -> int | None:
        """The index of the event after which a hook has returned: its own, if only printed lines
        came in between; None if it raised an error."""
        within, events = self.within(index, event), self.trace.events
        after = within[-1] + 1 if within else index + 1
        following = events[after] if after < len(events) else {"k": ""}
        if following["k"] == "error" and (
            ("at" in event and "p" in following) or self._is_of(event, following)
        ):
            return None
        return index if all(events[at]["k"] == "print" for at in within) else within[-1]

    def changed_together(self, index: int) -> list[int]:
        """The index of an event, and of the following ones of the same kind and line: so
        `zero_grad` and clipping change many gradients."""
        found, events = [index], self.trace.events
        for at in range(index + 1, len(events)):
            if any(events[at].get(key) != events[index].get(key) for key in ("k", "line", "file")):
                break
            found.append(at)
        return found

    def _is_of(self, hook: Event, event: Event) -> bool:
        """Whether an event came from a line of the function that is a hook."""
        file = hook.get("file", "")
        if event.get("line") is None or event.get("file", "") != file:
            return False
        return event["line"] in self.statements.lines_of_function(hook["line"], file)

    def _in_box(self, values: list | Value) -> str:
        """Values as a box shows them: of a single one its rows, several on one line."""
        values = values if isinstance(values, list) else [values]
        if len(values) == 1 and (values[0] is None or "s" in values[0]):
            return format_value(values[0], self.language)
        return format_values(values, self.language)

    def _show(self, box: str, value: Value | None, initial: bool = False) -> None:
        if value:
            self.state.set_value(box, format_value(value, self.language), initial)
        if self.graph.boxes[box].kind == "leaf":
            self.state.init_grad(box)

    def _show_first_values(self, tensors: Iterable[str]) -> list[str]:
        """Show the values of tensors that no event has shown yet; returns their boxes."""
        shown = []
        for tensor in tensors:
            box, value = self.graph.box_of(tensor), self.trace.tensors[tensor].get("value")
            if box and value and box not in self.state.values:
                self._show(box, value)
                shown.append(box)
        return shown

    def _operation(self, _: int, event: Event) -> list[str]:
        if made := self.nodes_made(event):
            return self._nodes_added(event, made)
        out = event["out"][0]
        box = self.graph.box_of(out["t"])
        if box is None or "n" in out:
            return []
        again = out.get("inplace") and box in self.state.values
        self._show(box, out.get("value"), initial=not again)
        return [box]

    def _nodes_added(self, event: Event, made: list[str]) -> list[str]:
        used = self._show_first_values(event["ins"])
        for key in made:
            values = [out.get("value") for out in event["out"] if out.get("n") == key]
            self.state.set_value(key, self._in_box(values))
        internal = [key for node in made for key in self._internal_nodes(node)]
        for key in internal:
            self._show(key, self.trace.nodes[key].get("value"))
        self.new = (*internal, *made)
        edges = [edge.key for key in self.new for edge in self.graph.edges_into.get(key, ())]
        return [*used, *sorted(edges, key=lambda key: int(key[1:])), *self.new]

    def _internal_nodes(self, node: str) -> list[str]:
        """Nodes that were added with this one and made no tensor that the script holds."""
        nodes, found, waiting = self.trace.nodes, [], [node]
        while waiting:
            for link in nodes[waiting.pop()]["next"]:
                key = link and link[0]
                if not key or "leaf" in nodes[key] or nodes[key].get("out") or key in found:
                    continue
                if key in self.graph.boxes and key not in self.state.values:
                    found.append(key)
                    waiting.append(key)
        return found[::-1]

    def _hook_registered(self, _: int, event: Event) -> list[str]:
        boxes = self.boxes(self.hooked_tensors(event.get("on")))
        for box in boxes if event["hook"] != "retain_grad" else ():
            self.state.add_hook(box, self.hook_name(event))
        return boxes

    def _node_ran(self, index: int, event: Event) -> list[str]:
        key, number = event["n"], event["p"]
        if key not in self.graph.boxes:
            return []
        self.state.set_received(key, number, self._in_box(event["gin"]))
        if "gout" not in event:
            if (self.raising_hook or {}).get("at") != key:
                self.state.set_received(key, number, LANGUAGES[self.language]["failed"])
            return [key]
        is_replaced, touched = self.is_replaced(index, key), [key]
        for edge, gradient, local in self.sent(event):
            touched.append(edge.key)
            text = without_shape(format_in_sentence(gradient, self.language))
            if edge.summed and is_replaced:  # shown once the hook has returned
                self._replaced.setdefault(key, {})[edge.key] = text
            elif edge.summed:
                self.state.set_sent(edge.key, number, text)
            if local is not None:
                self.state.write(f"{edge.key}d", edge_label(local, self.language))
        return touched

    def _accumulated(self, _: int, event: Event) -> list[str]:
        if (key := event["n"]) not in self.graph.boxes:
            return []
        self.state.set_grad(key, format_in_sentence(event.get("before"), self.language))
        self.state.set_grad(key, format_value(event.get("after"), self.language))
        return [key]

    def _pass_ended(self, index: int, _: Event) -> list[str]:
        if index != self.last_pass_end:
            return []
        phrases, touched = LANGUAGES[self.language], []
        for parameter in self.graph.explained:
            if (box := self.graph.box_of(parameter.tensor)) is not None:
                why = phrases[f"why_{parameter.outcome}"]
                self.state.explain(box, phrases["grad_why"].format(grad="{grad}", why=why))
                touched.append(box)
        return touched

    def _hook_called(self, index: int, event: Event) -> list[str]:
        boxes = self.hooked_boxes(event)
        if boxes and not self.hooked_tensors(event["on"]):
            self.state.add_hook(boxes[0], self.hook_name(event), repeat=False)
            if {"p": event["p"], **(self.raising_hook or {})} == event:
                failed = LANGUAGES[self.language]["failed"]
                self.state.set_received(boxes[0], event["p"], failed)
        if event["hook"] == "tensor":
            self._show_received(event, boxes, event["got"][0])
        if (at := self.returns_at(index, event)) is not None:
            self._returns[at] = event
        return boxes

    def _returned(self, event: Event) -> None:
        """Show a hook's result from now on."""
        given, boxes = event.get("ret"), self.hooked_boxes(event)
        if event["hook"] == "tensor" and given is not None:
            self._show_received(event, boxes, given)
        elif event["hook"] in REPLACING_HOOKS and given is not None:
            for box in boxes:
                self.state.set_received(box, event["p"], self._in_box(given))
            for edge, text in self._replaced.pop(event.get("at"), {}).items():
                self.state.set_sent(edge, event["p"], text)

    def _show_received(self, event: Event, boxes: Iterable[str], value: Value | None) -> None:
        """Show the argument or the result of a hook on a tensor: as the gradient that its node
        receives, or next to the hook of a leaf, whose `.grad` is a different value."""
        number = event.get("p", 0)
        for box in boxes:
            if self.graph.boxes[box].kind != "leaf":
                self.state.set_received(box, number, format_value(value, self.language))
                continue
            before, after = event["got"][0], event.get("ret")
            if value is after and after is not None:
                texts = [on_one_line(format_value(v, self.language)) for v in (before, after)]
                if len(effect := " → ".join(texts)) <= LONGEST_HOOK:
                    self.state.set_effect(box, self.hook_name(event), number, effect)

    def _grad_assigned(self, index: int, _: Event) -> list[str]:
        touched = []
        for at in self.changed_together(index):
            self._applied.add(at)
            change = self.trace.events[at]
            for box in self.boxes([change["t"]]):
                for key in ("before", "after"):
                    self.state.set_grad(box, format_value(change.get(key), self.language))
                touched.append(box)
        return touched

    def _value_assigned(self, _: int, event: Event) -> list[str]:
        boxes = self.boxes([event["t"]])
        for box in boxes:
            first = box not in self.state.values  # nothing has used it
            self._show(box, event["after"], first)
        return boxes

    def _optimizer_step(self, _: int, event: Event) -> list[str]:
        rows = {box: row for row in event["params"] for box in self.boxes([row["t"]])}
        for box, row in rows.items():
            self.state.set_value(box, format_value(row["after"], self.language))
        return list(rows)

    def _error(self, index: int, event: Event) -> list[str]:
        self._show_first_values(event.get("ins", ()))
        if "ins" in event:
            return [FAILED]
        before = self.trace.events[:index]
        ran = [e for e in before if e["k"] in ("node", "acc") and e["p"] == event["p"]]
        unfinished = [e["n"] for e in ran[-1:] if "gout" not in e and "after" not in e]
        return [key for key in unfinished if key in self.graph.boxes]


_CHANGES: Mapping[str, Callable[[Effects, int, Event], list[str]]] = {
    "op": Effects._operation,
    "reg": Effects._hook_registered,
    "backward": lambda effects, _, event: effects.boxes(event["roots"][:1]),
    "node": Effects._node_ran,
    "acc": Effects._accumulated,
    "backward_end": Effects._pass_ended,
    "hook": Effects._hook_called,
    "call": lambda effects, _, event: [event["n"]] if event.get("n") in effects.graph.boxes else [],
    "grad_set": Effects._grad_assigned,
    "set": Effects._value_assigned,
    "step": Effects._optimizer_step,
    "error": Effects._error,
}
"""The function that changes the picture for each kind of event."""
