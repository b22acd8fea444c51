"""What the cards show: their values, gradients and hooks, as the events of a trace fill them in.

Slots: `n3v` is the value on card `n3`, `n3g` its gradient, `n3h` its hooks, `e4` what stands beside
line `e4`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SIGNS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
"""The signs of backward passes."""
HISTORY = 4
"""Values that a history shows; of more, the first and the last."""


@dataclass
class Board:
    """The slots, and the histories behind them. `number_passes`: tell backward passes apart."""

    number_passes: bool = False
    slots: dict[str, str] = field(default_factory=dict)
    _shown: dict[str, str] = field(default_factory=dict)
    _values: dict[str, list[str]] = field(default_factory=dict)
    _grads: dict[str, list[str]] = field(default_factory=dict)
    _received: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    _hooks: dict[str, list[str]] = field(default_factory=dict)

    def changes(self) -> dict[str, str]:
        """What slots show that they didn't when this was last asked."""
        new = {key: text for key, text in self.slots.items() if self._shown.get(key) != text}
        self._shown = dict(self.slots)
        return new

    def has_value(self, card: str) -> bool:
        """Whether the card shows a value."""
        return card in self._values

    def value(self, card: str, text: str, begin: bool = False) -> None:
        """A card's value, after those before it; `begin`: nothing was before it."""
        had = [] if begin else self._values.get(card, [])
        self._values[card] = had if had and had[-1] == text else [*had, text]
        self.slots[f"{card}v"] = history(self._values[card])

    def no_grad_yet(self, card: str) -> None:
        """A leaf tensor whose `.grad` is still None."""
        self.slots.setdefault(f"{card}g", "None")

    def grad(self, card: str, text: str) -> None:
        """The `.grad` of a leaf tensor, after what it was before."""
        had = self._grads.get(card, [])
        if (had or text != "None") and had[-1:] != [text]:
            self._grads[card] = [*had, text]
            self.slots[f"{card}g"] = history(self._grads[card])

    def received(self, card: str, which: int, text: str, begin: bool = False) -> None:
        """The gradient of a node in a backward pass, after the one that a hook replaced."""
        passes = self._received.setdefault(card, {})
        had = [] if begin else passes.get(which, [])
        passes[which] = had if had and had[-1] == text else [*had, text]
        self._number(f"{card}g", {p: history(texts) for p, texts in passes.items()})

    def sent(self, line: str, which: int, text: str) -> None:
        """The gradient that went up a line in a backward pass."""
        passes = self._received.setdefault(line, {})
        passes[which] = [text]
        self._number(line, {p: texts[0] for p, texts in passes.items()})

    def hook(self, card: str, name: str, new: bool = True) -> None:
        """One more hook of a card; `new`: although another of that name is there."""
        names = self._hooks.setdefault(card, [])
        if new or name not in names:
            names.append(name)
        self.slots[f"{card}h"] = ", ".join(names)

    def _number(self, slot: str, texts: dict[int, str]) -> None:
        signs = [f"{sign(p)} {text}" if self.number_passes else text for p, text in texts.items()]
        lines = any("\n" in text for text in texts.values())
        self.slots[slot] = ("\n" if lines else "  ").join(signs)


def history(texts: list[str]) -> str:
    """Values one after another; of a matrix, the last one alone."""
    if "\n" in texts[-1]:
        return texts[-1]
    texts = [" ".join(line.strip() for line in text.split("\n")) for text in texts]
    if len(texts) > HISTORY:
        texts = [texts[0], "…", texts[-1]]
    return " → ".join(texts)


def sign(number: int) -> str:
    """The sign of a backward pass."""
    return SIGNS[number - 1] if number <= len(SIGNS) else f"({number})"
