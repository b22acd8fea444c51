"""What a page assumes of its symbols: $w > 0$, $0 < x < 1$, $n \\ne 0$."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from proofbook.maths.algebra.expression import Symbol, symbols
from proofbook.maths.algebra.latex import Tree, Unreadable, read_latex_condition
from proofbook.maths.equalities import rows_of
from proofbook.model.page import Page

_INEQUALITY = re.compile(r"[<>]|\\(?:leq?|geq?|neq?|lt|gt)\b")


@dataclass(frozen=True)
class Condition:
    """A condition that a page states, and where."""

    tree: Tree
    place: int


def conditions_of(page: Page) -> Iterator[Condition]:
    """The conditions in the formulas of a page that hold symbols."""
    for maths in page.maths:
        latex = maths.content
        if not _INEQUALITY.search(latex):
            continue
        for row, _ in rows_of(latex):
            if _INEQUALITY.search(row):
                try:
                    tree = read_latex_condition(row)
                except Unreadable:
                    continue
                if symbols(tree):
                    yield Condition(tree, maths.start)


class PageConditions:
    """The conditions of a page, and which of them hold where."""

    def __init__(self, page: Page, section_at: Callable[[int], int]):
        self._text = page.text
        self._section_at = section_at
        self._conditions = list(conditions_of(page))

    def nearby(self, place: int, names: Collection[Symbol]) -> list[Tree]:
        """All conditions on these symbols in the section or box of a place."""
        return [one.tree for one in self._nearby(place, names)]

    def at(self, place: int, names: Collection[Symbol]) -> list[Tree]:
        """The conditions on these symbols that hold at a place.

        For each symbol those last stated above in the same section or box; or, where there is
        none, the next one in the same paragraph: "|w| = w for w > 0".
        """
        if not self._conditions:
            return []
        found: dict[Tree, None] = {}
        for name in sorted(names):
            nearby = self._nearby(place, [name])
            before = [one.place for one in nearby if one.place < place]
            after = [
                one.place
                for one in nearby
                if one.place >= place and "\n\n" not in self._text[place : one.place]
            ]
            stated = max(before) if before else min(after, default=None)
            found.update(dict.fromkeys(one.tree for one in nearby if one.place == stated))
        return list(found)

    def _nearby(self, place: int, names: Collection[Symbol]) -> list[Condition]:
        section = self._section_at(place)
        return [
            one
            for one in self._conditions
            if symbols(one.tree) & set(names) and self._section_at(one.place) == section
        ]
