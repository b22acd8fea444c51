"""The file of a script's runs with other numbers: `.varied`, next to its recording `.trace`.

One JSON object a line. The first contains the varied numbers. Each other one is a run: its
`values`, its output (`printed`), and its recording as `changes` of the lines of the `.trace`:
either a line and the numbers in it, with a dot for each unchanged one; or the first line, the one
after the last, and their replacement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

ENDING = ".varied"
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")
_SAME = "."


@dataclass(frozen=True)
class VariedScriptRun:
    """One run: the values as in code, the output, and the text of the recording."""

    values: tuple[str, ...]
    printed: str
    recording: str


def varied_file(script: str) -> str:
    """The file with the runs of a script with other numbers."""
    return f"{script.removesuffix('.py')}{ENDING}"


def format_runs(varied: Sequence[str], runs: Sequence[VariedScriptRun], recording: str) -> str:
    """The text of the file. `varied`: the options that request it; `recording`: the `.trace`."""
    own = recording.split("\n")
    lines = [_line({"vary": list(varied)})]
    for run in runs:
        changes = _changes(own, run.recording.split("\n"))
        values = {"values": run.values, "printed": run.printed, "changes": changes}
        lines.append(_line(values))
    return "".join(lines)


def parse_runs(text: str, recording: str) -> tuple[tuple[str, ...], list[VariedScriptRun]]:
    """The options for which the runs were made, and the runs. Raises `ValueError`."""
    own = recording.split("\n")
    try:
        head, *rows = (json.loads(line) for line in text.splitlines())
        runs = []
        for row in rows:
            lines = list(own)
            for start, *end, new in reversed(row["changes"]):
                if end:
                    lines[start : end[0]] = new
                elif start < len(lines):
                    lines[start] = _with_numbers(lines[start], new.split())
            runs.append(VariedScriptRun(tuple(row["values"]), row["printed"], "\n".join(lines)))
        return tuple(head["vary"]), runs
    except (KeyError, TypeError) as error:
        raise ValueError(f"it lacks {error}") from error
    except RecursionError as error:
        raise ValueError("it nests too deep to be read") from error
    except (RuntimeError, StopIteration) as error:
        raise ValueError("it belongs to another recording") from error


def _changes(old: list[str], new: list[str]) -> list[list]:
    if len(old) == len(new):
        pairs = list(zip(old, new, strict=True))
        if all(_NUMBER.split(one) == _NUMBER.split(other) for one, other in pairs):
            return [
                [index, _numbers(one, other)]
                for index, (one, other) in enumerate(pairs)
                if one != other
            ]
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [[i1, i2, new[j1:j2]] for tag, i1, i2, j1, j2 in found if tag != "equal"]


def _numbers(old: str, new: str) -> str:
    """The numbers of a line that differs from another only in its numbers."""
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return " ".join(_SAME if one == other else other for one, other in pairs)


def _with_numbers(line: str, numbers: Sequence[str]) -> str:
    """A line with other numbers in it."""
    given = iter(numbers)

    def number(found: re.Match[str]) -> str:
        new = next(given)
        return found[0] if new == _SAME else new

    return _NUMBER.sub(number, line)


def _line(data: dict) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
