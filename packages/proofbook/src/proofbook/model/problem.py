"""Problems: where something is wrong, what was expected, what was found, how to fix it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

WIDTH = 1000
"""The maximum number of characters of a line of a problem that are shown."""


@dataclass(frozen=True)
class Problem:
    """One error in the book.

    `file` is relative to the root of the book and written with `/`; `line` counts from 1. `pages`
    are the source files of the affected pages. `severity`: an "error" stops a check or a build, a
    "warning" is only printed and counted.
    """

    file: str
    line: int
    what: str
    expected: str
    found: str
    fix: str
    pages: tuple[str, ...] = ()
    severity: str = "error"

    def __str__(self) -> str:
        rows = [("expected", self.expected), ("found", self.found), ("fix", self.fix)]
        if self.pages and self.file not in self.pages:
            rows.append(("shown on", ", ".join(self.pages)))
        mark = "warning: " if self.severity == "warning" else ""
        lines = [f"{self.file}:{self.line}: {mark}{self.what}"]
        for label, text in rows:
            first, *others = text.splitlines() or [""]
            lines.append(f"  {label + ':':<10}{first}")
            lines += [f"  {'':<10}{line}" for line in others]
        return "\n".join(line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in lines)


def warning(problem: Problem) -> Problem:
    """The problem as a warning."""
    return replace(problem, severity="warning")


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """The problems that stop a check or a build."""
    return [problem for problem in problems if problem.severity == "error"]


def warnings(problems: Iterable[Problem]) -> list[Problem]:
    """The problems that don't stop a check or a build."""
    return [problem for problem in problems if problem.severity == "warning"]


def not_utf8(file: str, error: UnicodeDecodeError, pages: tuple[str, ...] = ()) -> Problem:
    """A file of the book that cannot be read as text."""
    return Problem(
        file,
        error.object[: error.start].count(b"\n") + 1,
        "the file is not UTF-8",
        "text in UTF-8",
        f"the byte 0x{error.object[error.start]:02x} at position {error.start}: {error.reason}",
        "save the file in your editor with the encoding UTF-8",
        pages,
    )


def no_room(error: OSError) -> Problem:
    """A file or folder that could not be read or written while something was made."""
    place = str(error.filename2 or error.filename or ".")
    what, expected = "the system refuses this file or folder", "one that can be read and written"
    fix = "make room on the disk, or change the rights"
    return Problem(place, 1, what, expected, error.strerror or str(error), fix)


def without_duplicates(problems: Sequence[Problem]) -> list[Problem]:
    """Each problem once, in the order of files and lines; several checks may find the same."""
    seen: dict[tuple, Problem] = {}
    for problem in problems:
        first = seen.setdefault(_key(problem), problem)
        pages = tuple(dict.fromkeys(first.pages + problem.pages))
        seen[_key(problem)] = replace(first, pages=pages)
    return [seen[key] for key in sorted(seen)]


def _key(problem: Problem) -> tuple:
    return problem.file, problem.line, problem.what, problem.found


def format_problems(problems: Sequence[Problem]) -> str:
    """All problems as one text, with a count at the end."""
    lines = [str(p) for p in without_duplicates(problems)]
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    return "\n\n".join([*lines, f"{count}. Nothing was changed."])


class Unproved(Exception):
    """The exception that carries problems, raised if a book cannot be shown as it is."""

    def __init__(self, problems: Sequence[Problem]):
        super().__init__(format_problems(problems))
        self.problems = tuple(problems)
