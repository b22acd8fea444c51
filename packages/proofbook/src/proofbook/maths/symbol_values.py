"""What a run says of the symbols in formulas: the values that its code and output give to names.

A name of the code is a symbol of the maths: `y2` and `y_2` are y_2, `x[0]` is x_0, `loss` is L,
`lr` is lr, `momentum` is \\mu. Code is read, never run.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from proofbook.maths.algebra.expression import NotEvaluated, Symbol, Value, evaluate
from proofbook.maths.algebra.latex import Tree

_NAMES = {"loss": "L", "weight": "w", "bias": "b", "momentum": "mu", "weight_decay": "lambda"}
_NAMES |= {"eps": "epsilon", "stride": "s", "padding": "p", "dilation": "d"}
_LABEL = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z]\w*(?:\.[a-z]+)*)(?:\[(?P<index>\d)\])?\s*[:=]\s*"
    r"(?P<value>\(?\[?tensor\([^()]*\)|[-+]?\d[\d.e+-]*)"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)")


@dataclass(frozen=True)
class KnownValue:
    """A value of a symbol. `within`: how far it may be off, where the output is rounded.

    `place`: where the page says it, or None where a run does.
    """

    value: Value
    within: float = 0.0
    place: int | None = None


@dataclass
class SymbolValues:
    """What a run says of symbols.

    `gradients`: printed as `w.grad`; `expressions`: how the code computes a symbol; `edited`:
    symbols that it changes in place; `numbers`: all that stand in code or output; `computed`: all
    expressions in the code, by their fingerprints.
    """

    values: dict[Symbol, list[KnownValue]] = field(default_factory=dict)
    gradients: dict[Symbol, list[KnownValue]] = field(default_factory=dict)
    computed: dict[float, list[Tree]] = field(default_factory=dict)
    numbers: set[float] = field(default_factory=set)
    edited: set[Symbol] = field(default_factory=set)
    expressions: dict[Symbol, list[Tree]] = field(default_factory=dict)

    def add(self, name: str, value: Value | None, within: float = 0.0, grad: bool = False) -> None:
        """Note a value of a name, and the parts of a vector."""
        table = self.gradients if grad else self.values
        if value is None:
            return
        while isinstance(value, tuple) and len(value) == 1:
            (value,) = value
        known = table.setdefault(symbol_of(name), [])
        if KnownValue(value, within) not in known:
            known.append(KnownValue(value, within))
        if isinstance(value, tuple):
            if len(set(value)) == 1 and not isinstance(value[0], tuple):
                self.add(name, value[0], within, grad)
            for place, one in enumerate(value):
                if not isinstance(one, tuple) and not name[-1].isdigit():
                    self.add(f"{name}_{place}", one, within, grad)

    def add_computed(self, tree: Tree) -> None:
        """Note an expression of the code."""
        if (key := fingerprint(tree)) is not None:
            known = self.computed.setdefault(key, [])
            if tree not in known:
                known.append(tree)

    def add_output(self, output: str) -> None:
        """Note the values that an output prints with a name: `w: 3.0`, `w.grad: tensor(2.)`."""
        for label in _LABEL.finditer(output):
            shown = label["value"]
            name, _, attribute = label["name"].rpartition(".")
            grad = attribute == "grad" and bool(name)
            name = (name if grad else label["name"]).rpartition(".")[2]
            name += f"_{label['index']}" if label["index"] else ""
            digits = len(shown.partition(".")[2].rstrip(")],").rpartition(".")[2])
            rounded = re.search(r"\.\d{4}", shown)
            within = 0.5 * 10.0 ** -(4 if "tensor" in shown else digits) if rounded else 0.0
            numbers = tuple(signed_numbers(shown.partition("requires")[0]))
            if numbers:
                self.add(name, numbers, within, grad)


def symbol_of(name: str) -> Symbol:
    """The symbol of the maths for a name of the code."""
    stem, digits = re.fullmatch(r"(.*?)_?(\d*)", name).groups()
    return _NAMES.get(stem, stem), ((digits,) if digits else ())


def signed_numbers(text: str) -> list[float]:
    """The numbers of a code or output, with their signs."""
    return [float(number) for number in _NUMBER.findall(text)]


def merge(several: Sequence[SymbolValues]) -> SymbolValues:
    """What several runs say."""
    merged = SymbolValues()
    for one in several:
        for mine, theirs in (
            (merged.values, one.values),
            (merged.gradients, one.gradients),
            (merged.expressions, one.expressions),
            (merged.computed, one.computed),
        ):
            for name, known in theirs.items():
                mine[name] = list(dict.fromkeys([*mine.get(name, []), *known]))
        merged.numbers |= one.numbers
        merged.edited |= one.edited
    return merged


def fingerprint(tree: Tree) -> float | None:
    """The value at one place, to find expressions that may be equal; None where there is none.

    Without the last digits, which depend on the order of the operations.
    """
    try:
        found = evaluate(tree, _anywhere)
    except NotEvaluated:
        return None
    return None if isinstance(found, tuple) else float(f"{found:.9e}")


def _anywhere(symbol: Symbol) -> float:
    """A number for a symbol, always the same for the same symbol."""
    return 0.5 + zlib.crc32(f"{symbol[0]}_{symbol[1]}".encode()) / 2**32
