"""What the boxes show: their values, gradients and hooks, as the events of a trace fill them in.

Slots: `n3v` is the value in box `n3`, `n3g` its gradient, `n3h` its hooks; `e4` is the text beside
edge `e4`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PASS_SIGNS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
"""The signs that number backward passes."""
LONGEST_HISTORY = 4
"""Values that a history shows; of more, the first and the last."""


@dataclass
class GraphState:
    """The texts of all slots. `number_passes`: put the sign of its pass before each gradient."""

    number_passes: bool = False
    slots: dict[str, str] = field(default_factory=dict)
    _reported: dict[str, str] = field(default_factory=dict)
    _values: dict[str, list[str]] = field(default_factory=dict)
    _grads: dict[str, list[str]] = field(default_factory=dict)
    _received: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    _hooks: dict[str, list[str]] = field(default_factory=dict)

    def take_changes(self) -> dict[str, str]:
        """The slots whose texts have changed since this was last called."""
        changed = {key: text for key, text in self.slots.items() if self._reported.get(key) != text}
        self._reported = dict(self.slots)
        return changed

    def has_value(self, box: str) -> bool:
        """Whether the box shows a value."""
        return box in self._values

    def set_value(self, box: str, text: str, initial: bool = False) -> None:
        """The value of a box, appended to its history; `initial` begins the history anew."""
        before = [] if initial else self._values.get(box, [])
        self._values[box] = _appended(before, text)
        self.slots[f"{box}v"] = format_history(self._values[box])

    def init_grad(self, box: str) -> None:
        """The `.grad` of a leaf tensor is None, as long as nothing else was set."""
        self.slots.setdefault(f"{box}g", "None")

    def set_grad(self, box: str, text: str) -> None:
        """The `.grad` of a leaf tensor, appended to its history."""
        before = self._grads.get(box, [])
        if (before or text != "None") and before[-1:] != [text]:
            self._grads[box] = [*before, text]
            self.slots[f"{box}g"] = format_history(self._grads[box])

    def set_received(self, box: str, pass_number: int, text: str) -> None:
        """The gradient that a node received in a pass, after the one that a hook replaced."""
        passes = self._received.setdefault(box, {})
        passes[pass_number] = _appended(passes.get(pass_number, []), text)
        histories = {p: format_history(texts) for p, texts in passes.items()}
        self._set_numbered(f"{box}g", histories)

    def set_sent(self, edge: str, pass_number: int, text: str) -> None:
        """The gradient that went along an edge in a backward pass."""
        passes = self._received.setdefault(edge, {})
        passes[pass_number] = [text]
        self._set_numbered(edge, {p: texts[0] for p, texts in passes.items()})

    def add_hook(self, box: str, name: str, repeat: bool = True) -> None:
        """One more hook of a box; `repeat`: also where it has one of that name already."""
        names = self._hooks.setdefault(box, [])
        if repeat or name not in names:
            names.append(name)
        self.slots[f"{box}h"] = ", ".join(names)

    def _set_numbered(self, slot: str, texts: dict[int, str]) -> None:
        rows = [
            f"{pass_sign(number)} {text}" if self.number_passes else text
            for number, text in texts.items()
        ]
        several_lines = any("\n" in text for text in texts.values())
        self.slots[slot] = ("\n" if several_lines else "  ").join(rows)


def format_history(texts: list[str]) -> str:
    """Values one after another; of a matrix, the last one alone."""
    if "\n" in texts[-1]:
        return texts[-1]
    texts = [" ".join(line.strip() for line in text.split("\n")) for text in texts]
    if len(texts) > LONGEST_HISTORY:
        texts = [texts[0], "…", texts[-1]]
    return " → ".join(texts)


def pass_sign(number: int) -> str:
    """The sign of a backward pass, counted from 1."""
    return PASS_SIGNS[number - 1] if number <= len(PASS_SIGNS) else f"({number})"


def _appended(texts: list[str], text: str) -> list[str]:
    return texts if texts and texts[-1] == text else [*texts, text]
