"""The error of the command: where it is, what was expected and found, and what mends it."""

from __future__ import annotations


class CommandError(Exception):
    """What was asked for could not be done. Its text is what the command prints.

    `file` is the script as it was named; `line` counts from 1.
    """

    def __init__(self, file: str, line: int, what: str, expected: str, found: str, mend: str):
        self.file, self.line, self.what = file, line, what
        self.expected, self.found, self.mend = expected, found, mend
        rows = [f"{file}:{line}: {what}"]
        for label, text in (("expected:", expected), ("found:", found), ("mend:", mend)):
            first, *others = text.splitlines() or [""]
            rows += [f"  {label:<10}{first}", *(f"  {'':<10}{row}" for row in others)]
        super().__init__("\n".join(rows))
