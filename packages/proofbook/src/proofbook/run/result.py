"""What one run of one script gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

OUTPUT_LIMIT = 64 * 1024
"""The most a snippet may print, in bytes: a page could not show more."""


@dataclass(frozen=True)
class Refusal:
    """Why a run does not count; `line` is the line of the script, from 1.

    `engine`: the file of gradtrace in which the line is instead, where that failed.
    """

    what: str
    expected: str
    found: str
    mend: str
    line: int = 1
    engine: str = ""


@dataclass(frozen=True)
class Result:
    """What one run of one script printed, or why it is refused; `seconds` is wall-clock time.

    `trace` is the text of its recording, where one was asked for; `figures` are those that it has
    drawn with Matplotlib, as SVG. `variants`: where the script was run with other numbers, what
    each run printed, and its recording or, where none was asked for, the one figure that it has
    drawn; `stdout` is then that of the first. None where it wasn't.
    """

    path: str
    stdout: str
    seconds: float
    refusal: Refusal | None = None
    trace: str | None = None
    figures: Sequence[str] = ()
    variants: Sequence[tuple[str, str]] | None = None
