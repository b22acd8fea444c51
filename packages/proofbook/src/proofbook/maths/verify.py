"""Judges the equalities of one page: with its definitions, and the values that its runs give."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Protocol

from proofbook.maths.definitions import Definition, Definitions, is_index
from proofbook.maths.equalities import Equality
from proofbook.maths.expression import (
    Name,
    Unknown,
    Value,
    at_any_place,
    letters,
    parts,
    same,
    value,
    written_out,
)
from proofbook.maths.latex import Tree, Unreadable, read_latex
from proofbook.maths.symbol_values import Known, Letters, letters_of, round_mark, together
from proofbook.maths.verdict import Verdict, computed, shown, told
from proofbook.model.page import Page

_MOST = 512
"""So many ways to give values to letters are tried."""
_BORDER = re.compile(r"^(?:## | *(?:\?\?\?|!!!) )", re.MULTILINE)


class CodeAndOutput(Protocol):
    """What is read of a run: its code and what it printed."""

    code: str
    output: str


class Judge:
    """Judges the equalities of one page."""

    def __init__(self, page: Page, found: list[Equality], runs: Sequence[CodeAndOutput]):
        self.page = page
        self.borders = [m.start() for m in _BORDER.finditer(page.text)]
        starts = [0]
        for line in page.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        self.runs = [
            (self.part(starts[reference.line - 1]), letters_of(run.code, run.output))
            for reference, run in zip(page.references, runs, strict=False)
        ]
        self.trees = {e: sides for e in found if (sides := _sides(e)) is not None}
        self.givens = [
            (e.place, self.part(e.place), *given) for e, (one, other) in self.trees.items()
            if (given := _given(one, other)) is not None
        ]  # fmt: skip
        self.definitions = Definitions(
            Definition(e.place, self.part(e.place), one[1], one[2], other)
            for e, (one, other) in self.trees.items()
            if _defines(one, other)
        )
        self.in_runs = Definitions(
            Definition(-1, part, *name, tree)
            for part, run in self.runs
            for name, trees in run.made.items()
            for tree in trees
        )

    @cached_property
    def known(self) -> Letters:
        """What all runs of the page know."""
        return together([letters for _, letters in self.runs])

    def part(self, place: int) -> int:
        """The number of the section or box in which a place lies."""
        return sum(border <= place for border in self.borders)

    def __call__(self, equality: Equality) -> Verdict:
        if equality.computed:
            return computed(equality)
        if equality not in self.trees:
            return Verdict(equality, "open")
        one, other = self.trees[equality]
        given = _given(one, other)
        try:
            if given is not None:
                judged = self.given(equality, *given)
            else:
                judged = self.with_letters(equality, one, other, self.definitions)
        except (Unknown, RecursionError):
            judged = Verdict(equality, "open")
        if judged.state != "open" or given is not None or _defines(one, other):
            return judged
        with contextlib.suppress(Unknown, RecursionError):
            # The names of the code may mean something else: what it says proves, never refutes.
            other_way = self.with_letters(equality, one, other, self.in_runs)
            if other_way.state == "proved":
                return replace(other_way, used=frozenset())
        return judged

    def given(self, equality: Equality, name: Name, wanted: Value) -> Verdict:
        """`w = 3`: a run gives this value to the letter, or the definitions of the page do."""
        known = self.known.values.get(_plain(name), [])
        if any(same(k.value, wanted, max(k.within, equality.within)) for k in known):
            return Verdict(equality, "proved")
        letter: Tree = ("letter", *name)
        tree, used = self.definitions.put_in(letter, self.part(equality.place), equality.place)
        # A value that no run shows is wrong; one that a run shows elsewhere may be a goal.
        goal = not isinstance(wanted, tuple) and wanted in self.known.numbers
        if tree != letter:
            judged = self.with_values(equality, tree, wanted, used)
            return replace(judged, state="open") if judged.state == "wrong" and goal else judged
        if known and not goal and not re.search(r"[a-zA-Z/+]|\d\s*-", equality.right):
            values = " or ".join(dict.fromkeys(shown(k.value) for k in known[:4]))
            return Verdict(equality, "wrong", f"{values} (in the runs of the page)")
        return Verdict(equality, "open")

    def with_letters(
        self, equality: Equality, one: Tree, other: Tree, definitions: Definitions
    ) -> Verdict:
        part, apart = self.part(equality.place), equality.place
        found = letters(one) | letters(other)
        indices = sorted({index for _, some in found for index in some if is_index(index)})
        used: frozenset[int] = frozenset()
        kept = (one[1], one[2]) if _defines(one, other) else None
        sides = []
        identical = True
        for shift in (0, 1):
            free = {index: str((place + shift) % 3) for place, index in enumerate(indices)}
            pair = []
            for side in (one, other):
                tree, uses = definitions.put_in(written_out(side, free), part, apart, kept)
                pair.append(tree)
                used |= uses
            sides.append(pair)
            identical = identical and _identical(*pair)
        if identical:
            return Verdict(equality, "proved", used=used)
        if _defines(one, other) and self.in_code(other, sides[0][1]):
            return Verdict(equality, "proved", used=used)
        judged = [self.with_values(equality, *pair, used) for pair in sides[: 1 + bool(indices)]]
        state = {j.state for j in judged}
        if state == {"proved"}:
            return judged[0]
        if "wrong" in state and "proved" not in state and not self.may_mean_else(one, other, part):
            return next(j for j in judged if j.state == "wrong")
        if self.claims_identity(one, other, *sides[0]):
            text = "two sides that are the same, whatever the letters are"
            return Verdict(equality, "wrong", text)
        return Verdict(equality, "open", used=used)

    def claims_identity(self, one: Tree, other: Tree, left: Tree, right: Tree) -> bool:
        """Whether this must hold for all values: formulas of the same letters, or a derivative."""
        taken = any(isinstance(p, tuple) and p[0] == "d" for p in (*parts(one), *parts(other)))
        if not taken and not (_composite(one) and _composite(other)):
            return False
        found = letters(left)
        printed = any(name[0].startswith("grad ") for name in found)
        return bool(found) and found == letters(right) and not printed

    def may_mean_else(self, one: Tree, other: Tree, part: int) -> bool:
        """Whether values can't refute this: a sum to nowhere, a new meaning for a letter."""
        if any(isinstance(p, tuple) and p[0] == "sum" and p[2] is None for p in parts(other)):
            return True
        if not _defines(one, other):
            return False
        name = (one[1], one[2])
        if name in self.known.edited:
            return True
        near = any(p == part and name in run.values for p, run in self.runs)
        return not near and not any(g[1] == part and g[2] == name for g in self.givens)

    def in_code(self, *trees: Tree) -> bool:
        """Whether a script of the page computes one of these expressions."""
        for tree in filter(_composite, trees):
            with contextlib.suppress(Unknown):
                mark = at_any_place(tree)
                if isinstance(mark, float) and round_mark(mark) in self.known.formulas:
                    return True
        return False

    def with_values(
        self, equality: Equality, one: Tree, other: Tree | Value, used: frozenset[int]
    ) -> Verdict:
        """Whether values of the letters make the sides agree."""
        number = not isinstance(other, tuple) or not isinstance(other[0], str)
        names = sorted(letters(one) | (set() if number else letters(other)))
        candidates = [self.candidates(name, equality.place) for name in names]
        first = None
        for chosen in product(*candidates) if math.prod(map(len, candidates)) <= _MOST else ():
            with_ = dict(zip(names, chosen, strict=True))
            left = value(one, lambda name, w=with_: w[name].value)
            right = other if number else value(other, lambda name, w=with_: w[name].value)
            within = max([equality.within, *(known.within for known in chosen)])
            if same(left, right, within):
                places = {known.place for known in chosen} - {None}
                return Verdict(equality, "proved", used=used | places)
            first = first or (left, right, with_, number)
        if first is None or 0.0 in (one, other) or any(n[0].startswith("grad ") for n in names):
            # What is set to 0 is to be solved. A printed gradient may be that of something else.
            return Verdict(equality, "open", used=used)
        return Verdict(equality, "wrong", told(*first), used)

    def candidates(self, name: Name, place: int) -> list[Known]:
        """Its values: those its section says, or its runs, or the page above, or all runs."""
        part = self.part(place)
        grad = name[0].startswith("grad ")
        plain = (name[0].removeprefix("grad "), _plain(name)[1])
        ran = [
            (part, known)
            for part, run in self.runs
            for known in (run.gradients if grad else run.values).get(plain, ())
        ]
        said = [
            (there, Known(of, place=at))
            for at, there, given, all_of in self.givens
            if (of := _item(given, all_of, name)) is not None
        ]
        here = [k for p, k in said if p == part] or [k for p, k in ran if p == part]
        above = [known for _, known in said if known.place < place]
        found = here or above or [known for _, known in ran]
        if not found and name == ("e", ()):
            return [Known(math.e)]
        return list(dict.fromkeys(found))


def _sides(equality: Equality) -> tuple[Tree, Tree] | None:
    try:
        return read_latex(equality.left), read_latex(equality.right)
    except Unreadable:
        return None


def _given(one: Tree, other: Tree) -> tuple[Name, Value] | None:
    """The letter and its value, where one side is a letter and the other numbers alone."""
    for letter, tree in ((one, other), (other, one)):
        if isinstance(letter, tuple) and letter[0] == "letter" and not letters(tree):
            try:
                return (letter[1], letter[2]), value(written_out(tree, {}), lambda name: 0.0)
            except Unknown:
                return None
    return None


def _defines(one: Tree, other: Tree) -> bool:
    letter = isinstance(one, tuple) and one[0] == "letter"
    return letter and bool(letters(other)) and (one[1], one[2]) not in letters(other)


def _item(given: Name, all_of: Value, name: Name) -> Value | None:
    """The value of a letter where this is given: itself, or the vector of which it is a part."""
    if given == name:
        return all_of
    if given != (name[0], ()) or not isinstance(all_of, tuple) or not name[1][0].isdigit():
        return None
    place = int(name[1][0])
    return all_of[place] if len(name[1]) == 1 and place < len(all_of) else None


def _identical(one: Tree, other: Tree) -> bool:
    try:
        return same(at_any_place(one), at_any_place(other))
    except Unknown:
        return False


def _composite(tree: Tree) -> bool:
    return (
        isinstance(tree, tuple) and tree[0] not in ("letter", "d", "tuple") and bool(letters(tree))
    )


def _plain(name: Name) -> Name:
    """The letter itself, where the index only says before or after a step."""
    return (name[0], tuple(i for i in name[1] if i not in ("new", "old")))
