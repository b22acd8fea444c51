"""The values that a page and its runs give to symbols, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proofbook.maths.algebra.expression import (
    NotEvaluated,
    Symbol,
    Value,
    agree,
    evaluate,
    expand_sums,
    is_symbol,
    symbols,
)
from proofbook.maths.algebra.identity import is_identity
from proofbook.maths.algebra.latex import Tree
from proofbook.maths.equalities import Equality
from proofbook.maths.symbol_values import KnownValue, SymbolValues, fingerprint, merge
from proofbook.model.page import Page


class Sections:
    """The sections and boxes of a page, numbered in their order."""

    def __init__(self, page: Page):
        headings = [span.start for span in page.spans_of("heading") if span.name == "2"]
        self._borders = [*headings, *(box.start for box in page.spans_of("box"))]
        self._line_starts = page.line_starts

    def at(self, place: int) -> int:
        """The number of the section or box in which a place of the text lies."""
        return sum(border <= place for border in self._borders)

    def at_line(self, line: int) -> int:
        """The number of the section or box of a line, counted from 1."""
        return self.at(self._line_starts[line - 1])


class PageValues:
    """The values of symbols on one page.

    `said`: the equalities as `w = 3`, each with its symbol and value; `runs`: what each run says,
    with the number of its section.
    """

    def __init__(
        self,
        sections: Sections,
        said: Iterable[tuple[Equality, Symbol, Value]],
        runs: Sequence[tuple[int, SymbolValues]],
    ):
        self._sections = sections
        self._said = [(e.place, sections.at(e.place), name, value) for e, name, value in said]
        self._runs = runs
        self.all_runs = merge([values for _, values in runs])

    def candidates(self, symbol: Symbol, place: int) -> list[KnownValue]:
        """Its values: those its section says, or its runs, or the page above, or all runs."""
        section = self._sections.at(place)
        grad = symbol[0].startswith("grad ")
        plain = without_step((symbol[0].removeprefix("grad "), symbol[1]))
        ran = [
            (there, known)
            for there, run in self._runs
            for known in (run.gradients if grad else run.values).get(plain, ())
        ]
        said = [
            (there, KnownValue(value, place=at))
            for at, there, name, all_values in self._said
            if (value := _value_of(symbol, name, all_values)) is not None
        ]
        here = [k for s, k in said if s == section] or [k for s, k in ran if s == section]
        above = [known for _, known in said if known.place < place]
        return list(dict.fromkeys(here or above or [known for _, known in ran]))

    def prints_one_gradient(self, symbol: Symbol, place: int) -> bool:
        """Whether a gradient (`b.grad`) is printed with one value alone: by runs of the section,
        or, where it has none, of the page."""
        section, name = self._sections.at(place), (symbol[0].removeprefix("grad "), symbol[1])
        here = [run for there, run in self._runs if there == section]
        runs = here or [run for _, run in self._runs]
        printed = [known.value for run in runs for known in run.gradients.get(name, ())]
        return bool(printed) and all(agree(printed[0], value, 0.0) for value in printed)

    def has_value_in(self, section: int, symbol: Symbol) -> bool:
        """Whether the section itself, or a run in it, gives a value to a symbol."""
        return any(s == section and symbol in run.values for s, run in self._runs) or any(
            s == section and name == symbol for _, s, name, _ in self._said
        )

    def signs(self, names: Iterable[Symbol], place: int) -> list[Tree]:
        """Conditions as w > 0, for the symbols whose values at a place are all of one sign."""
        found = []
        for name in sorted(names):
            known = [one.value for one in self.candidates(name, place)]
            if not known or any(isinstance(value, tuple) for value in known):
                continue
            if min(known) > 0 or max(known) < 0:
                found.append((">" if min(known) > 0 else "<", ("symbol", *name), 0.0))
        return found

    def is_computed(self, tree: Tree) -> bool:
        """Whether the code of a run computes an expression that is equal to this one."""
        known = self.all_runs.computed.get(fingerprint(tree), ())
        return any(is_identity(tree, one).holds for one in known)


def value_of_symbol(one: Tree, other: Tree) -> tuple[Symbol, Value] | None:
    """The symbol and its value, where one side is a symbol and the other has none."""
    for symbol, tree in ((one, other), (other, one)):
        if is_symbol(symbol) and not symbols(tree):
            try:
                return (symbol[1], symbol[2]), evaluate(expand_sums(tree, {}), lambda name: 0.0)
            except NotEvaluated:
                return None
    return None


def without_step(symbol: Symbol) -> Symbol:
    """The symbol without an index that only says before or after a step: w_new is w."""
    return symbol[0], tuple(index for index in symbol[1] if index not in ("new", "old"))


def _value_of(symbol: Symbol, given: Symbol, value: Value) -> Value | None:
    """The value of a symbol where `given` has one: itself, or the vector it is an item of."""
    if given == symbol:
        return value
    if given != (symbol[0], ()) or not isinstance(value, tuple) or not symbol[1][0].isdigit():
        return None
    place = int(symbol[1][0])
    return value[place] if len(symbol[1]) == 1 and place < len(value) else None
