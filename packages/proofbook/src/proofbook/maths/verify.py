"""Judges the equalities of one page: with its definitions, and the values that its runs give."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product

from proofbook.maths.algebra.expression import (
    NotEvaluated,
    Symbol,
    Value,
    agree,
    evaluate,
    expand_sums,
    has_kink,
    has_operation,
    is_symbol,
    subtrees,
    symbols,
)
from proofbook.maths.algebra.identity import Decision, is_identity
from proofbook.maths.algebra.latex import Tree
from proofbook.maths.conditions import PageConditions
from proofbook.maths.definitions import (
    Definition,
    Definitions,
    defines_function,
    defines_symbol,
    is_index,
    read_sides,
)
from proofbook.maths.equalities import Equality, are_numbers
from proofbook.maths.page_values import PageValues, Sections, value_of_symbol, without_step
from proofbook.maths.symbol_values import SymbolValues
from proofbook.maths.verdict import (
    Verdict,
    format_difference,
    format_value,
    format_values,
    verdict_on_large_numbers,
    verdict_on_numbers,
)
from proofbook.model.page import Page

_MOST_COMBINATIONS = 512
"""So many ways to give values to the symbols of an equality are tried."""

Pair = tuple[Tree, Tree]


class Verifier:
    """Judges the equalities of one page, of which it is given all.

    `runs`: what the runs of the page's references say of symbols, in their order.
    """

    def __init__(self, page: Page, equalities: Sequence[Equality], runs: Sequence[SymbolValues]):
        self.sections = Sections(page)
        by_section = [
            (self.sections.at_line(reference.line), run)
            for reference, run in zip(page.references, runs, strict=False)
        ]
        in_code = {name for _, run in by_section for name in run.values}
        self.sides = read_sides(equalities, in_code)
        self.values = PageValues(
            self.sections,
            (
                (equality, *given)
                for equality, sides in self.sides.items()
                if (given := value_of_symbol(*sides)) is not None
            ),
            by_section,
        )
        self.conditions = PageConditions(page, self.sections.at)
        self.definitions = Definitions(
            definition
            for equality, sides in self.sides.items()
            if (definition := self._definition(equality, *sides)) is not None
        )
        self.definitions_in_code = Definitions(
            Definition(-1, section, *name, tree)
            for section, run in by_section
            for name, trees in run.expressions.items()
            for tree in trees
        )

    def _definition(self, equality: Equality, one: Tree, other: Tree) -> Definition | None:
        at = equality.place, self.sections.at(equality.place)
        if defines_symbol(one, other):
            return Definition(*at, one[1], one[2], other)
        if defines_function(one, other):
            return Definition(*at, one[1], (), other, parameter=(one[3][1], one[3][2]))
        return None

    def verdict(self, equality: Equality) -> Verdict:
        """The verdict on one of the equalities of the page."""
        if equality.computed:
            return verdict_on_numbers(equality)
        if equality not in self.sides:
            return Verdict(equality, "open")
        one, other = self.sides[equality]
        if are_numbers(one, other):
            found = verdict_on_large_numbers(equality, one, other)
            if found.state != "open":
                return found
        given = value_of_symbol(one, other)
        with contextlib.suppress(NotEvaluated, RecursionError):
            if given is not None:
                return self._of_given_value(equality, *given)
            found = self._with_symbols(equality, one, other, self.definitions)
            if found.state != "open" or defines_symbol(one, other):
                return found
        if given is None and not defines_symbol(one, other):
            with contextlib.suppress(NotEvaluated, RecursionError):
                # The names of the code may mean something else: it proves, but never refutes.
                found = self._with_symbols(equality, one, other, self.definitions_in_code)
                if found.state == "proved":
                    return replace(found, used=frozenset())
        return Verdict(equality, "open")

    def _of_given_value(self, equality: Equality, name: Symbol, wanted: Value) -> Verdict:
        """`w = 3`: a run gives this value to the symbol, or the definitions of the page do."""
        all_runs = self.values.all_runs
        known = all_runs.values.get(without_step(name), [])
        if any(agree(k.value, wanted, max(k.within, equality.within)) for k in known):
            return Verdict(equality, "proved")
        symbol: Tree = ("symbol", *name)
        place = equality.place
        resolved = self.definitions.resolve(symbol, self.sections.at(place), place)
        # A value that no run shows is wrong; one that a run shows elsewhere may be a goal.
        goal = not isinstance(wanted, tuple) and wanted in all_runs.numbers
        if resolved.tree != symbol:
            pair = resolved.tree, _tree_of(wanted)
            found = self._with_values(equality, pair, resolved.used)
            return Verdict(equality, "open") if found.state == "wrong" and goal else found
        if known and not goal and not re.search(r"[a-zA-Z/+]|\d\s*-", equality.right):
            values = " or ".join(dict.fromkeys(format_value(k.value) for k in known[:4]))
            return Verdict(equality, "wrong", f"{values} (in the runs of the page)")
        return Verdict(equality, "open")

    def _with_symbols(
        self, equality: Equality, one: Tree, other: Tree, definitions: Definitions
    ) -> Verdict:
        """As an identity, or with conditions and values; raises `NotEvaluated`."""
        defines = defines_symbol(one, other)
        kept = {(one[1], one[2])} if defines else set()
        pairs, used = self._resolve(equality, definitions, kept)
        if _hold(pairs):
            return Verdict(equality, "proved", used=used)
        written = symbols(one) | symbols(other)
        assumed = self.conditions.at(equality.place, written)
        if assumed:
            kept |= set().union(*map(symbols, assumed)) & written
            under_conditions, places = self._resolve(equality, definitions, kept)
            if _hold(under_conditions, assumed):
                return Verdict(equality, "proved", used=places)
        if self._holds_by_signs(equality, pairs):
            return Verdict(equality, "proved", used=used)
        if defines and self._is_computed(other, pairs[0][1]):
            return Verdict(equality, "proved", used=used)
        found = [self._with_values(equality, pair, used) for pair in pairs]
        states = {one.state for one in found}
        if states == {"proved"}:
            return found[0]
        section = self.sections.at(equality.place)
        if (
            "wrong" in states
            and "proved" not in states
            and not self._may_mean_else(one, other, section)
        ):
            return next(one for one in found if one.state == "wrong")
        if _claims_identity(one, other, *pairs[0]):
            return self._refuted(equality, pairs, written, used)
        return Verdict(equality, "open", used=used)

    def _resolve(
        self, equality: Equality, definitions: Definitions, kept: Collection[Symbol]
    ) -> tuple[list[Pair], frozenset[int]]:
        """Both sides with definitions put in, and the places of those.

        Where the equality has free indices, twice: with different numbers for them.
        """
        one, other = self.sides[equality]
        place, used = equality.place, frozenset()
        found = symbols(one) | symbols(other)
        indices = sorted({index for _, some in found for index in some if is_index(index)})
        pairs = []
        for shift in (0, 1) if indices else (0,):
            numbers = {index: str((at + shift) % 3) for at, index in enumerate(indices)}
            resolved = [
                definitions.resolve(
                    expand_sums(side, numbers), self.sections.at(place), place, kept
                )
                for side in (one, other)
            ]
            pairs.append(tuple(side.tree for side in resolved))
            used = used.union(*(side.used for side in resolved))
        return pairs, used

    def _refuted(
        self,
        equality: Equality,
        pairs: Sequence[Pair],
        written: Collection[Symbol],
        used: frozenset[int],
    ) -> Verdict:
        """Wrong where numbers differ for positive symbols too, and under each condition nearby.

        What holds for some signs only may lack a condition in words: it is left open.
        """
        positive = [(">", ("symbol", *name), 0.0) for name in _symbols_of(pairs)]
        nearby = self.conditions.nearby(equality.place, written)
        for assumed in (*([one] for one in nearby), positive):
            failed = next((d for d in _decide(pairs, assumed) if d.holds is False), None)
            if failed is None:
                return Verdict(equality, "open", used=used)
        text = "two sides that are the same, whatever the letters are"
        return Verdict(equality, "wrong", f"{text} (try {format_values(failed.counterexample)})")

    def _may_mean_else(self, one: Tree, other: Tree, section: int) -> bool:
        """Whether values can't refute this: a sum to nowhere, a new meaning for a symbol."""
        if any(isinstance(t, tuple) and t[0] == "sum" and t[2] is None for t in subtrees(other)):
            return True
        if not defines_symbol(one, other):
            return False
        name = (one[1], one[2])
        edited = name in self.values.all_runs.edited
        return edited or not self.values.has_value_in(section, name)

    def _is_computed(self, *trees: Tree) -> bool:
        """Whether a script of the page computes one of these expressions."""
        return any(self.values.is_computed(tree) for tree in trees if has_operation(tree))

    def _with_values(self, equality: Equality, pair: Pair, used: frozenset[int]) -> Verdict:
        """Whether values of the symbols make the sides agree."""
        one, other = pair
        names = sorted(_symbols_of([pair]))
        candidates = [self.values.candidates(name, equality.place) for name in names]
        first = None
        few = math.prod(map(len, candidates)) <= _MOST_COMBINATIONS
        for chosen in product(*candidates) if few else ():
            values = {name: known.value for name, known in zip(names, chosen, strict=True)}
            left, right = (evaluate(side, values.__getitem__) for side in pair)
            within = max([equality.within, *(known.within for known in chosen)])
            if agree(left, right, within):
                places = {known.place for known in chosen} - {None}
                return Verdict(equality, "proved", used=used | places)
            first = first or (left, right if symbols(other) else None, values)
        printed = [name for name in names if name[0].startswith("grad ")]
        if first is None or (0.0 in (one, other) and not printed):
            return Verdict(equality, "open", used=used)  # what is set to 0 is to be solved
        if printed and not self._is_printed(equality, printed):
            return Verdict(equality, "open", used=used)
        return Verdict(equality, "wrong", format_difference(*first), used)

    def _is_printed(self, equality: Equality, gradients: Sequence[Symbol]) -> bool:
        """Whether the runs of the section print just what an equality says of a gradient.

        One label may be of several losses: of L_1, or of the terms of a sum.
        """
        derivatives = [
            tree
            for side in self.sides[equality]
            for tree in subtrees(side)
            if isinstance(tree, tuple) and tree[0] == "d"
        ]
        return (
            len(derivatives) == len(gradients) == 1
            and is_symbol(derivatives[0][1])
            and not derivatives[0][1][2]
            and self.values.prints_one_gradient(gradients[0], equality.place)
        )

    def _holds_by_signs(self, equality: Equality, pairs: Sequence[Pair]) -> bool:
        """Whether it suffices that all known values of a symbol are positive, or negative.

        g / sqrt(t g^2) = 1 / sqrt(t) holds for the g of the page, whatever t is.
        """
        if not any(has_kink(side) for pair in pairs for side in pair):
            return False
        assumed = self.values.signs(_symbols_of(pairs), equality.place)
        return bool(assumed) and _hold(pairs, assumed)


def _decide(pairs: Sequence[Pair], conditions: Collection[Tree] = ()) -> list[Decision]:
    return [is_identity(*pair, conditions) for pair in pairs]


def _hold(pairs: Sequence[Pair], conditions: Collection[Tree] = ()) -> bool:
    return all(is_identity(*pair, conditions).holds for pair in pairs)


def _symbols_of(pairs: Sequence[Pair]) -> set[Symbol]:
    return {name for pair in pairs for side in pair for name in symbols(side)}


def _tree_of(value: Value) -> Tree:
    return ("tuple", tuple(map(_tree_of, value))) if isinstance(value, tuple) else value


def _claims_identity(one: Tree, other: Tree, left: Tree, right: Tree) -> bool:
    """Whether this must hold for all values: formulas of the same symbols, or a derivative.

    `left`, `right`: the sides with the definitions of the page put in.
    """
    derivatives = any(
        isinstance(tree, tuple) and tree[0] == "d" for tree in (*subtrees(one), *subtrees(other))
    )
    if not derivatives and not (has_operation(one) and has_operation(other)):
        return False
    found = symbols(left)
    printed = any(name[0].startswith("grad ") for name in found)
    return bool(found) and found == symbols(right) and not printed
