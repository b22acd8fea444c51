"""What the boxes show: their values, gradients and hooks, as the events of a trace fill them in.

Slots: `n3v` is the value in box `n3`, `n3g` its gradient, `n3h` its hooks; `e4` is the gradient
beside edge `e4`, and `e4d` the local derivative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PASS_SIGNS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
"""The signs that number backward passes."""
LONGEST_HOOK = 40
"""Characters of the name of a hook and of what it did to a gradient."""
LONGEST_HISTORY = 4
"""Values that a history shows; of more, the first and the last."""
LONGEST_LINE = 20
"""Characters of a history on one line; a longer one has a line for each value."""


@dataclass
class GraphState:
    """The texts of all slots. `number_passes`: put the sign of its pass before each gradient."""

    number_passes: bool = False
    slots: dict[str, str] = field(default_factory=dict)
    _before: dict[str, str | None] = field(default_factory=dict)
    """What slots held that were written to since the changes were last taken."""
    _values: dict[str, list[str]] = field(default_factory=dict)
    _grads: dict[str, list[str]] = field(default_factory=dict)
    _why: dict[str, str] = field(default_factory=dict)
    _received: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    _hooks: dict[str, list[str]] = field(default_factory=dict)
    _effects: dict[tuple[str, str], str] = field(default_factory=dict)

    def take_changes(self) -> dict[str, str]:
        """The slots whose texts have changed since this was last called."""
        written, self._before = self._before, {}
        return {key: self.slots[key] for key, text in written.items() if self.slots[key] != text}

    def has_value(self, box: str) -> bool:
        """Whether the box shows a value."""
        return box in self._values

    def set_value(self, box: str, text: str, initial: bool = False) -> None:
        """The value of a box, appended to its history; `initial` begins the history anew."""
        before = [] if initial else self._values.get(box, [])
        self._values[box] = _appended(before, text)
        self._write(f"{box}v", format_history(self._values[box]))

    def init_grad(self, box: str) -> None:
        """The `.grad` of a leaf tensor is None, as long as nothing else was set."""
        if f"{box}g" not in self.slots:
            self._write(f"{box}g", "None")

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
        """The gradient that went along an edge in a backward pass."""
        passes = self._received.setdefault(edge, {})
        passes[pass_number] = [text]
        self._set_numbered(edge, {p: texts[0] for p, texts in passes.items()})

    def set_factor(self, edge: str, text: str) -> None:
        """By what the gradient was multiplied that went along an edge."""
        self._write(f"{edge}d", text)

    def add_hook(self, box: str, name: str, repeat: bool = True) -> None:
        """One more hook of a box; `repeat`: also where it has one of that name already."""
        names = self._hooks.setdefault(box, [])
        if repeat or name not in names:
            names.append(name)
        self._write_hooks(box)

    def set_effect(self, box: str, hook: str, pass_number: int, text: str) -> None:
        """The gradients before and after a hook of a leaf in the last pass: beside the hook's name,
        or in its place where there is no room for both."""
        (self._effects[box, hook],) = self._numbered({pass_number: text})
        self._write_hooks(box)

    def _write_hooks(self, box: str) -> None:
        names = self._hooks.get(box, [])
        texts = [" ".join(filter(None, [name, self._effects.get((box, name))])) for name in names]
        if len(texts) == 1 and len(texts[0]) > LONGEST_HOOK:
            texts = [self._effects.get((box, name), name) for name in names]
        self._write(f"{box}h", ", ".join(texts))

    def _write_grad(self, box: str) -> None:
        text = format_history(self._grads.get(box, ["None"]))
        self._write(f"{box}g", self._why.get(box, "{grad}").replace("{grad}", text))

    def _set_numbered(self, slot: str, texts: dict[int, str]) -> None:
        rows = self._numbered(texts)
        several_lines = any("\n" in text for text in texts.values())
        self._write(slot, ("\n" if several_lines else "  ").join(rows))

    def _numbered(self, texts: dict[int, str]) -> list[str]:
        return [
            f"{pass_sign(number)} {text}" if self.number_passes else text
            for number, text in texts.items()
        ]

    def _write(self, slot: str, text: str) -> None:
        self._before.setdefault(slot, self.slots.get(slot))
        self.slots[slot] = text


def format_history(texts: list[str]) -> str:
    """Values one after another; of a matrix, the last one alone."""
    if "\n" in texts[-1]:
        return texts[-1]
    texts = [" ".join(line.strip() for line in text.split("\n")) for text in texts]
    if len(texts) > LONGEST_HISTORY:
        texts = [texts[0], "…", texts[-1]]
    line = " → ".join(texts)
    return line if len(line) <= LONGEST_LINE else "\n→ ".join(texts)


def pass_sign(number: int) -> str:
    """The sign of a backward pass, counted from 1."""
    return PASS_SIGNS[number - 1] if number <= len(PASS_SIGNS) else f"({number})"


def _appended(texts: list[str], text: str) -> list[str]:
    return texts if texts and texts[-1] == text else [*texts, text]
