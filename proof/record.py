"""Records what the scripts print, and shows each difference."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

from proof.check import first_difference, refused
from proof.problem import Problem
from proof.runner import Runner


def record(root: Path, scripts: Iterable[str]) -> tuple[list[str], list[Problem]]:
    """Run each script twice and write its `.out`; gives the differences and the problems.

    The second run has another hash seed, another address space and the reverse order. An output is
    written only if both runs printed the same; all others stay as they are.
    """
    scripts = list(scripts)
    files = [root / script for script in scripts]
    with Runner(hash_seed=0) as one, Runner(hash_seed=1) as other:
        first = [one.submit(file) for file in files]
        second = [other.submit(file) for file in reversed(files)][::-1]
        runs = [(a.result(), b.result()) for a, b in zip(first, second, strict=True)]
    differences, problems = [], []
    for script, file, (a, b) in zip(scripts, files, runs, strict=True):
        if failed := next((run for run in (a, b) if run.refusal), None):
            problems.append(refused(script, failed))
        elif a.stdout != b.stdout:
            problems.append(_unsteady(script, a.stdout, b.stdout))
        elif difference := _write(root, file.with_suffix(".out"), a.stdout):
            differences.append(difference)
    return differences, problems


def _unsteady(script: str, one: str, other: str) -> Problem:
    _, first, second = first_difference(one, other)
    return Problem(
        script,
        1,
        "two runs printed different things, so nothing was recorded",
        "the same output every time",
        f"{first}    (first run)\n{second}    (second run)",
        "fix the seed (torch.manual_seed(0)), sort what has no order, print no addresses or times; "
        f"then: python -m proof update {script}",
    )


def _write(root: Path, output: Path, printed: str) -> str:
    name = output.relative_to(root).as_posix()
    raw = output.read_bytes() if output.is_file() else b""
    if raw == printed.encode("utf-8"):
        return ""
    recorded = raw.decode("utf-8", "replace")
    new = output.with_suffix(".out.new")
    new.write_text(printed, encoding="utf-8", newline="\n")
    os.replace(new, output)
    old_name = name if raw else "(nothing recorded)"
    rows = difflib.unified_diff(
        recorded.splitlines(), printed.splitlines(), old_name, name, lineterm=""
    )
    return "\n".join(rows) or f"{name}: only the line ends have changed"
