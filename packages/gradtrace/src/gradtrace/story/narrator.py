"""The context of narration: phrases of a language, and the names of things in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gradtrace.story.effects import Effects
from gradtrace.story.value_text import format_in_sentence, format_values
from gradtrace.trace import Value
from gradtrace.words import LANGUAGES

_BLANKS = re.compile("(?<=[）。，；、：]) | (?=[（。，；、：])")


@dataclass
class Narrator:
    """Puts the events of a trace into sentences. `effects`: the changes so far in the picture;
    `index` is the index of the current event."""

    effects: Effects
    index: int = 0
    arrived: dict[tuple[str, int], list] = field(default_factory=dict)
    """The gradients that edges brought to a box in a backward pass, by box and pass."""
    captured: dict[str, int] = field(default_factory=dict)
    """Boxes whose gradient the running pass returns from `autograd.grad`, with the number of edges
    that send it."""
    last_line: int | None = None
    """The line of the last event that the sentence covers, where there are several."""
    covered: set[int] = field(default_factory=set)
    """The indices of later events already covered by a sentence."""
    later: dict[int, str] = field(default_factory=dict)
    """The text after the event of an index: that a hook returned."""

    def __post_init__(self) -> None:
        self.trace, self.graph = self.effects.trace, self.effects.graph
        self.titles, self.language = self.graph.titles, self.effects.language

    def phrase(self, key: str, **parts: object) -> str:
        """A sentence, or a part of one. No blank is put next to Chinese punctuation."""
        return _BLANKS.sub("", LANGUAGES[self.language][key].format(**parts))

    def join(self, key: str, texts: Iterable[str]) -> str:
        """Texts with a word or a comma between them."""
        return LANGUAGES[self.language][key].join(texts)

    def enumeration(
        self, texts: Iterable[str], last: str = "and_last", between: str = "and"
    ) -> str:
        """Texts enumerated in a sentence: A, B and C."""
        *texts, end = texts
        return self.join(last, [self.join(between, texts), end]) if texts else end

    def value(self, value: Value | None) -> str:
        """A value within a sentence."""
        return format_in_sentence(value, self.language)

    def values(self, values: list) -> str:
        """Several values within a sentence."""
        return format_values(values, self.language)

    def name(self, tensor: str) -> str:
        """The name of a tensor; its value if it has no name."""
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

    def hook_kind(self, kind: str) -> str:
        """The name of a kind of hook."""
        phrases = LANGUAGES[self.language]
        return phrases.get(f"{kind}_hook", phrases["other_hook"])


MAX_LINES = 3
"""The maximum number of printed lines that one sentence lists."""
MAX_LINE_LENGTH = 110
"""The maximum number of characters of a printed line that a sentence quotes."""


def printed_lines(texts: Iterable[str]) -> list[str]:
    """The lines of printed texts, each matrix in one; without empty ones."""
    lines: list[str] = []
    for text in texts:
        for line in filter(None, map(str.strip, text.split("\n"))):
            if lines and lines[-1].count("[") > lines[-1].count("]"):
                lines[-1] += f" {line}"  # the next row of a tensor
            else:
                lines.append(line)
    return lines


def listed_lines(narrator: Narrator, lines: Sequence[str]) -> str:
    """Printed lines as code, as many as fit; "" for none."""
    if not lines:
        return ""
    texts = [
        f"`{line}`"
        if len(line) <= MAX_LINE_LENGTH
        else f"`{line[:MAX_LINE_LENGTH].rpartition(' ')[0]} …`"
        for line in lines[:MAX_LINES]
    ]
    if len(lines) > MAX_LINES:
        return narrator.join("and", texts) + narrator.phrase("more_lines")
    return narrator.enumeration(texts)
