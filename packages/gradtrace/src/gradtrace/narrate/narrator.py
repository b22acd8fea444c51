"""What tells events in words: the names that things have in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gradtrace.graph.nodes import Graph, title
from gradtrace.graph.state import Board
from gradtrace.model import Trace
from gradtrace.narrate.number_format import on_one_line, value, values
from gradtrace.narrate.phrases import WORDS

Told = tuple[str, list[str]] | None
"""A sentence and the cards and lines it is about; None where an event isn't worth a step."""


@dataclass
class Teller:
    """A trace on its way to words. What has been told so far stands on the board."""

    trace: Trace
    graph: Graph
    language: str
    board: Board
    arrived: dict[tuple[str, int], list] = field(default_factory=dict)
    """The gradients that lines brought to a card in a backward pass."""
    captured: dict[str, int] = field(default_factory=dict)
    """Cards whose gradient the running pass hands to `autograd.grad`, of how many parts."""
    now: int = 0
    """The index of the event that is being told."""

    def say(self, key: str, **parts: object) -> str:
        """A sentence, or a part of one. No blank stands beside Chinese punctuation."""
        told = WORDS[self.language][key].format(**parts)
        return re.sub("(?<=[）。，；、：]) | (?=[（。，；、：])", "", told)

    def join(self, key: str, texts: Iterable[str]) -> str:
        """Texts with a word or a comma between them."""
        return WORDS[self.language][key].join(texts)

    def listed(self, texts: Iterable[str], last: str = "and_last", between: str = "and") -> str:
        """Texts as a list in a sentence: A, B and C."""
        *texts, end = texts
        return self.join(last, [self.join(between, texts), end]) if texts else end

    def value(self, told: dict | None) -> str:
        """A value within a sentence."""
        return on_one_line(value(told, self.language))

    def values(self, told: list) -> str:
        """Several values within a sentence."""
        return values(told, self.language)

    def name(self, tensor: str) -> str:
        """What a tensor is called."""
        return title(self.trace, tensor) or self.value(self.trace.tensors[tensor].get("value"))

    def node(self, key: str) -> str:
        """A node, with what tells it from others of its kind."""
        card = self.graph.cards.get(key)
        if card is None or not card.title:
            return self.trace.nodes[key]["op"]
        of = f"{card.side}_node" if card.side else "leaf_node" if card.kind == "leaf" else "node_of"
        return self.say(of, node=card.node, name=card.title)

    def kind(self, hook: str) -> str:
        """What the glossary calls a kind of hook."""
        words = WORDS[self.language]
        return words.get(f"{hook}_hook", words["other_hook"])

    def tensors(self, on: object) -> list[str]:
        """The tensors that a hook is registered on; none where it is on a module."""
        several = on if isinstance(on, list) else [on]
        return [tensor for tensor in several if tensor in self.trace.tensors]

    def cards(self, tensors: Iterable[str]) -> list[str]:
        """The cards of tensors, where they are drawn."""
        return [card for tensor in tensors if (card := self.graph.at(tensor))]

    def first_use(self, tensors: Iterable[str]) -> list[str]:
        """Cards of tensors that were there before the trace tells of them, as parameters are."""
        found = []
        for tensor in tensors:
            card, told = self.graph.at(tensor), self.trace.tensors[tensor].get("value")
            if card and told and not self.board.has_value(card):
                self.board.value(card, value(told, self.language))
                found.append(card)
                if self.graph.cards[card].kind == "leaf":
                    self.board.no_grad_yet(card)
        return found


def hook_name(told: str | None) -> str:
    """The name of a hook; a lambda has none of its own."""
    return (told or "hook").strip("<>")
