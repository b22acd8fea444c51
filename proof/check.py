"""Compares what PyTorch prints with what the book says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proof.book import Book
from proof.problem import Problem
from proof.result import Result


def problems_in_runs(book: Book, results: Iterable[Result]) -> list[Problem]:
    """Where a run was refused, or printed something other than what is recorded."""
    found = []
    for result in results:
        script = Path(result.path).relative_to(book.root.resolve()).as_posix()
        pages = book.users(script)
        if result.refusal:
            found.append(refused(script, result, pages))
        elif problem := _difference(book.root, script, result.stdout, pages):
            found.append(problem)
    return found


def refused(script: str, result: Result, pages: tuple[str, ...] = ()) -> Problem:
    """A refused run, told as a problem of its script."""
    why = result.refusal
    mend = why.mend.replace("SCRIPT", script)
    if "python" not in mend:
        mend += f"; then: python -m proof check {script}"
    return Problem(script, why.line, why.what, why.expected, why.found, mend, pages)


def _difference(root: Path, script: str, printed: str, pages: tuple[str, ...]) -> Problem | None:
    output = script.removesuffix(".py") + ".out"
    mend = f"if the new output is right: python -m proof update {script}"
    if not (root / output).is_file():
        return Problem(output, 1, "no output is recorded", "a file", "none", mend, pages)
    try:
        recorded = (root / output).read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None  # told once for the file itself, by the book
    if recorded == printed:
        return None
    said, prints = recorded.split("\n"), printed.split("\n")
    line = next(i for i in range(len(said) + 1) if said[i : i + 1] != prints[i : i + 1])

    def show(lines: list[str]) -> str:
        if line >= len(lines) or line == len(lines) - 1 and not lines[line]:
            return "(the output ends here)"
        return lines[line]

    return Problem(
        output,
        line + 1,
        f"{script} prints something else than what is recorded",
        f"{show(said)}    (recorded; the pages show this)",
        f"{show(prints)}    (what PyTorch prints now)",
        mend,
        pages,
    )
