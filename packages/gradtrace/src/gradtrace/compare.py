"""Compares a recording with the one that is kept: a `.trace` file beside the script."""

from __future__ import annotations

from pathlib import Path

from gradtrace.model import parsed

_WIDTH = 160
"""So much of a line is shown, from a little before the place where two lines part."""
_BEFORE = 60


def kept(script: Path) -> Path:
    """Where the recording of a script lies."""
    return script.with_suffix(".trace")


def first_difference(kept: str, now: str) -> tuple[int, str, str, str] | None:
    """The first line in which two recordings differ, what stands there, and how it reads in each.

    The version of Python makes no difference: the same book is recorded under another one.
    """
    one, two = _lines(kept), _lines(now)
    if one == two:
        return None
    at = next(i for i in range(max(len(one), len(two))) if one[i : i + 1] != two[i : i + 1])
    old, new = ("".join(lines[at : at + 1]) for lines in (one, two))
    return at + 1, _place(two, at), *_shown(old, new)


def fault(text: str) -> str | None:
    """Why a text is no recording, or None."""
    try:
        parsed(text)
    except ValueError as error:
        return str(error)
    return None


def _lines(text: str) -> list[str]:
    return ["" if line.startswith('"python": ') else line for line in text.splitlines()]


def _place(lines: list[str], at: int) -> str:
    """What the line with the index `at` tells of: "event 12", "node n3", "the source"."""
    start = lines.index('"events": [') if '"events": [' in lines else len(lines)
    if at > start:
        return f"event {at - start - 1}"
    name = lines[at].split('"')[1] if at < len(lines) and '"' in lines[at] else "its end"
    if name[:1] in "tn" and name[1:].isdigit():
        return f"{'tensor' if name[0] == 't' else 'node'} {name}"
    return f"the {name}" if name != "its end" else name


def _shown(old: str, new: str) -> tuple[str, str]:
    """The parts of two lines around the place where they part."""
    alike = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    start = max(0, (min(len(old), len(new)) if alike is None else alike) - _BEFORE)

    def part(line: str) -> str:
        if not line:
            return "(nothing)"
        cut = line[start : start + _WIDTH]
        return ("… " if start else "") + cut + (" …" if start + _WIDTH < len(line) else "")

    return part(old), part(new)
