"""What a page defines, y = 2w - 1, put into its other formulas; derivatives are taken then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proofbook.maths.expression import Name, Unknown, changed, derivative_of, letters, written_out
from proofbook.maths.latex import Tree

_DEEPEST = 8


@dataclass(frozen=True)
class Definition:
    """A letter of a page and what it stands for. `part`: the section or box of its place."""

    place: int
    part: int
    name: str
    indices: tuple[str, ...]
    body: Tree

    def body_for(self, indices: tuple[str, ...]) -> Tree | None:
        """The body for a letter with these indices, or None where it isn't defined by this."""
        if self.indices == indices:
            return self.body
        if len(self.indices) == len(indices) and all(map(is_index, self.indices)):
            return written_out(self.body, dict(zip(self.indices, indices, strict=True)))
        if self.indices or any(map(is_index, indices)):
            return None
        # z = 10u holds for each element: z_0 = 10 u_0.
        return changed(self.body, lambda tree: _indexed(tree, indices))


def is_index(index: str) -> bool:
    """Whether this runs over numbers, as i, and is no part of a name, as new or 2."""
    return len(index) == 1 and index.isalpha()


class Definitions:
    """The definitions of a page."""

    def __init__(self, definitions: Iterable[Definition]):
        self.by_name: dict[str, list[Definition]] = {}
        for one in definitions:
            self.by_name.setdefault(one.name, []).append(one)

    def put_in(
        self, tree: Tree, part: int, place: int, kept: Name | None = None
    ) -> tuple[Tree, frozenset[int]]:
        """The tree with definitions put in and derivatives taken, and the places of those used.

        A derivative of what isn't defined becomes the letter "grad w", which runs may print. The
        definition that stands at `place` is not used: it would prove itself. Nothing is put in for
        the letter `kept`.
        """
        used: set[int] = set()
        start = frozenset({kept} if kept else ())
        return self._put_in(tree, part, place, start, used, 0), frozenset(used)

    def _put_in(self, tree, part, place, kept, used, depth) -> Tree:
        def change(one: Tree) -> Tree | None:
            if not isinstance(one, tuple):
                return None
            if one[0] == "letter":
                if (one[1], one[2]) in kept or depth > _DEEPEST:
                    return None
                definition, body = self._nearest(one, part, place)
                if definition is None:
                    return None
                used.add(definition.place)
                body = written_out(body, {})
                return self._put_in(body, part, place, kept | {(one[1], one[2])}, used, depth + 1)
            if one[0] == "d":
                by = (one[2][1], one[2][2])
                body = written_out(one[1], {})
                body = self._put_in(body, part, place, kept | {by}, used, depth + 1)
                if by not in letters(body):
                    if isinstance(one[1], tuple) and one[1][0] == "letter" and one[3] == 1:
                        return ("letter", f"grad {by[0]}", by[1])
                    raise Unknown("what the derivative is of")
                taken = derivative_of(("d", body, one[2], one[3]))
                return self._put_in(taken, part, place, kept, used, depth + 1)
            return None

        return changed(tree, change)

    def _nearest(self, letter: Tree, part: int, place: int) -> tuple[Definition | None, Tree]:
        """The definition in the same part, or else the last one before, or else the first."""
        found = [
            (one, body)
            for one in self.by_name.get(letter[1], ())
            if one.place != place and (body := one.body_for(letter[2])) is not None
        ]
        found.sort(
            key=lambda it: (it[0].part != part, it[0].place > place, abs(it[0].place - place))
        )
        return found[0] if found else (None, 0.0)


def _indexed(tree: Tree, indices: tuple[str, ...]) -> Tree | None:
    if isinstance(tree, tuple) and tree[0] == "letter" and not tree[2]:
        return ("letter", tree[1], indices)
    return None
