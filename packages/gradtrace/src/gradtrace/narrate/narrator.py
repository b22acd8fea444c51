"""The context of narration: phrases of a language, and what things are called in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from gradtrace.graph.build import Graph
from gradtrace.graph.state import GraphState
from gradtrace.graph.titles import Titles
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.value_format import format_in_sentence, format_value, format_values
from gradtrace.trace import Event, Trace, Value

LONGEST_LAMBDA = 32
"""Characters of a function without a name that stand for its name."""
_BLANKS = re.compile("(?<=[）。，；、：]) | (?=[（。，；、：])")
Narration = tuple[str, list[str]] | None
"""A sentence and the keys of the boxes and edges it is about; None where there is no step."""


@dataclass
class Narrator:
    """A trace that is put into sentences, event by event.

    `state` is what the figure shows so far; `index` is that of the present event.
    """

    trace: Trace
    graph: Graph
    titles: Titles
    language: str
    state: GraphState
    index: int = 0
    arrived: dict[tuple[str, int], list] = field(default_factory=dict)
    """The gradients that edges brought to a box in a backward pass, by box and pass."""
    captured: dict[str, int] = field(default_factory=dict)
    """Boxes whose gradient the running pass hands to `autograd.grad`, with the number of edges that
    bring it."""

    last_line: int | None = None
    """The line of the last event that the sentence tells, where it tells several."""
    told: set[int] = field(default_factory=set)
    """The indices of later events that a sentence has told already."""
    later: dict[int, Callable[[], str]] = field(default_factory=dict)
    """What is told after the event of an index: that a hook returned."""
    replaced: dict[str, dict[str, str]] = field(default_factory=dict)
    """What a hook on a module puts along the edges from a node, until the hook has returned."""

    @cached_property
    def raising_hook(self) -> Event | None:
        """The hook that raised. Those of a node are called after it, so the node itself ran."""
        events = (event for event in self.trace.events if event["k"] != "print")
        for before, event in pairwise(events):
            if event["k"] == "error" and "p" in event and before["k"] == "hook":
                return before
        return None

    @cached_property
    def last_pass_end(self) -> int:
        """The index of the event with which the last backward pass ends; -1 without one."""
        ends = (i for i, event in enumerate(self.trace.events) if event["k"] == "backward_end")
        return max(ends, default=-1)

    def later_events(self) -> Iterator[Event]:
        """The events after the present one."""
        events = self.trace.events
        return (events[index] for index in range(self.index + 1, len(events)))

    def phrase(self, key: str, **parts: object) -> str:
        """A sentence, or a part of one. There is no blank beside Chinese punctuation."""
        text = LANGUAGES[self.language][key].format(**parts)
        return _BLANKS.sub("", text)

    def join(self, key: str, texts: Iterable[str]) -> str:
        """Texts with a word or a comma between them."""
        return LANGUAGES[self.language][key].join(texts)

    def enumeration(
        self, texts: Iterable[str], last: str = "and_last", between: str = "and"
    ) -> str:
        """Texts as they are enumerated in a sentence: A, B and C."""
        *texts, end = texts
        return self.join(last, [self.join(between, texts), end]) if texts else end

    def value(self, value: Value | None) -> str:
        """A value within a sentence."""
        return format_in_sentence(value, self.language)

    def values(self, values: list) -> str:
        """Several values within a sentence."""
        return format_values(values, self.language)

    def name(self, tensor: str) -> str:
        """What a tensor is called; its value, where it has no name."""
        value = self.trace.tensors[tensor].get("value")
        return self.titles.tensor(tensor) or self.value(value)

    def node(self, key: str) -> str:
        """A node, with what distinguishes it from others of its kind."""
        box = self.graph.boxes.get(key)
        if box is None or not box.title:
            return self.trace.nodes[key]["op"]
        phrase = f"{box.side}_node" if box.side else "node_of"
        phrase = "leaf_node" if box.kind == "leaf" else phrase
        return self.phrase(phrase, node=box.node, name=box.title)

    def hook_name(self, event: Event) -> str:
        """The name of a hook; of a lambda, which has none, the text, where it is short."""
        name = (event.get("fn") or "hook").strip("<>")
        if name != "lambda":
            return name
        text = self.titles.statements.lambda_at(event["line"], event.get("file", ""))
        return text if 0 < len(text) <= LONGEST_LAMBDA else name

    def hook_kind(self, kind: str) -> str:
        """The name of a kind of hook."""
        phrases = LANGUAGES[self.language]
        return phrases.get(f"{kind}_hook", phrases["other_hook"])

    def hooked_tensors(self, on: object) -> list[str]:
        """The tensors that a hook is registered on; none where it is on a module."""
        several = on if isinstance(on, list) else [on]
        return [tensor for tensor in several if tensor in self.trace.tensors]

    def boxes(self, tensors: Iterable[str]) -> list[str]:
        """The keys of the boxes of tensors, where they are drawn."""
        return [box for tensor in tensors if (box := self.graph.box_of(tensor))]

    def show_first_values(self, tensors: Iterable[str]) -> list[str]:
        """Show the values of tensors that no event has shown yet, as those of parameters; gives
        their boxes."""
        shown = []
        for tensor in tensors:
            box, value = self.graph.box_of(tensor), self.trace.tensors[tensor].get("value")
            if box and value and not self.state.has_value(box):
                self.state.set_value(box, format_value(value, self.language))
                shown.append(box)
                if self.graph.boxes[box].kind == "leaf":
                    self.state.init_grad(box)
        return shown
