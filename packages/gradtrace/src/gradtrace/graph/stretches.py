"""Splits a long stretch of the forward pass: into iterations of a loop, else into equal parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile


@dataclass(frozen=True)
class Stretch:
    """What was made from place `start` to `end`, at a line of the code: a single box, a call of a
    module, or several of these (`parts`). `sign` is the same wherever the same code ran; `depth`
    says how many calls it is in."""

    start: int
    end: int
    sign: tuple
    line: int
    call: str
    depth: int
    parts: tuple[Stretch, ...] = ()
    iterations: tuple[int, int] | None = None

    @property
    def single(self) -> bool:
        """Whether it is one box and no group."""
        return not self.call and not self.parts

    @property
    def kind(self) -> str:
        """The kind of its group."""
        if not self.parts:
            return "call"
        if self.iterations:
            return "iterations"
        return "calls" if all(part.call for part in self.parts) else "lines"

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and the last line of its code."""
        if not self.parts:
            return None
        inside = [part.lines or (part.line, part.line) for part in self.parts]
        return min(first for first, _ in inside), max(last for _, last in inside)


def split(stretches: Sequence[Stretch], most: int, first: int = 1) -> list[Stretch]:
    """The same in at most about so many stretches. `first`: the number of the first iteration."""
    if all(stretch.iterations for stretch in stretches):
        return _chunks(list(stretches), most)
    iterations = _iterations(stretches)
    if len(iterations) < 3:
        return _equal_parts(stretches, most)
    before, after = _around_loop(iterations)
    inside = [stretch for one in iterations for stretch in one]
    turns = _iterations(inside[len(before) : len(inside) - len(after)])
    loop = [_joined(turn, (n, n)) for n, turn in enumerate(turns, first)]
    around = max(2, most - len(before) - len(after))
    whole = [*before, *_chunks(loop, around), *after]
    return whole if len(whole) <= 2 * most else _equal_parts(whole, most)


def _chunks(loop: list[Stretch], most: int) -> list[Stretch]:
    """Iterations, or so many at a time that there are few; a round number of them."""
    if len(loop) <= most:
        return loop
    sizes = (n * 10**power for power in range(9) for n in (2, 5, 10))
    size = next(size for size in sizes if -(-len(loop) // size) <= most)
    chunks = []
    for start in range(0, len(loop), size):
        part = loop[start : start + size]
        chunks.append(_joined(part, (part[0].iterations[0], part[-1].iterations[1])))
    return chunks


def _equal_parts(stretches: Sequence[Stretch], most: int) -> list[Stretch]:
    count = min(most, -(-len(stretches) // (most // 2)))
    ends = [len(stretches) * n // count for n in range(count + 1)]
    parts = [stretches[start:end] for start, end in pairwise(ends)]
    return [_joined(part) if len(part) > 1 else part[0] for part in parts]


def _joined(parts: Sequence[Stretch], iterations: tuple[int, int] | None = None) -> Stretch:
    first, last = parts[0], parts[-1]
    where = first.start, last.end, first.sign, first.line, "", first.depth
    return Stretch(*where, tuple(parts), iterations)


def _iterations(stretches: Sequence[Stretch]) -> list[list[Stretch]]:
    """Where the same code runs again after a later line, or at once, another iteration begins."""
    found: list[list[Stretch]] = [[]]
    seen: set[tuple] = set()
    for stretch in stretches:
        before = found[-1][-1] if found[-1] else stretch
        if stretch.sign in seen or (
            stretch.line < before.line and stretch.sign[0] == before.sign[0]
        ):
            found.append([])
            seen = set()
        found[-1].append(stretch)
        seen.add(stretch.sign)
    return found


def _around_loop(iterations: list[list[Stretch]]) -> tuple[list[Stretch], list[Stretch]]:
    """What ran before the first line of a loop, and after its last one."""
    begins = min(one[0].line for one in iterations[1:])
    ends = max(one[-1].line for one in iterations[:-1])
    before = takewhile(lambda stretch: stretch.line < begins, iterations[0])
    after = takewhile(lambda stretch: stretch.line > ends, reversed(iterations[-1]))
    return list(before), list(after)[::-1]
