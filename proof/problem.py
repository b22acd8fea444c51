"""What no longer holds, told so that a maintainer can mend it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing in the book that does not hold.

    `file` is relative to the root of the book and written with `/`; `line` counts from 1.
    `pages` are the source files of the pages on which a reader would meet the problem.
    """

    file: str
    line: int
    what: str
    expected: str
    found: str
    mend: str
    pages: tuple[str, ...] = ()

    def __str__(self) -> str:
        rows = [("expected", self.expected), ("found", self.found), ("mend", self.mend)]
        told = [f"{self.file}:{self.line}: {self.what}"]
        for label, text in rows:
            lines = text.splitlines() or [""]
            told.append(f"  {label + ':':<10}{lines[0]}")
            told += [f"  {'':<10}{line}" for line in lines[1:]]
        return "\n".join(told)


def report(problems: Sequence[Problem]) -> str:
    """All problems as one text, in the order of their files and lines, with a count at the end."""
    told = [str(p) for p in sorted(problems, key=lambda p: (p.file, p.line, p.what))]
    count = "1 problem" if len(told) == 1 else f"{len(told)} problems"
    return "\n\n".join([*told, f"{count}. Nothing was changed."])


class Unproved(Exception):
    """Raised where the book cannot be shown as it is; carries the problems."""

    def __init__(self, problems: Sequence[Problem]):
        super().__init__(report(problems))
        self.problems = tuple(problems)
