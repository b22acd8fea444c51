"""Compares two outputs of a script: what is recorded, and what it prints."""

from __future__ import annotations

from proofbook.model.problem import Problem
from proofbook.model.snippet import output_file

ENDS = "(the output ends here)"


def changed_output(
    script: str, recorded: str, printed: str, pages: tuple[str, ...] = ()
) -> Problem | None:
    """Where a script prints something else than what is recorded, or None."""
    if (difference := first_different_line(recorded, printed)) is None:
        return None
    line, said, prints = difference
    return Problem(
        output_file(script),
        line,
        f"{script} prints something else than what is recorded",
        f"{said}    (recorded; the pages show this)",
        f"{prints}    (what PyTorch prints now)",
        f"if the new output is right: proofbook update {script}",
        pages,
    )


def first_different_line(said: str, printed: str) -> tuple[int, str, str] | None:
    """The first line in which two outputs differ, from 1, and its text in each."""
    if said == printed:
        return None
    one, two = said.split("\n"), printed.split("\n")
    line = next(i for i in range(len(one) + 1) if one[i : i + 1] != two[i : i + 1])

    def show(lines: list[str], others: list[str]) -> str:
        here, there = lines[line : line + 1], others[line : line + 1]
        if not here:
            return "(no line end after the last line)" if there == [""] else ENDS
        if line == len(lines) - 1 and not here[0]:
            return "(a line end after the last line)" if not there else ENDS
        alike = there and here[0].split() == there[0].split()
        return repr(here[0]) if alike else here[0]  # blanks cannot be seen

    return line + 1, show(one, two), show(two, one)
