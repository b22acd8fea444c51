"""Finds the snippets whose output depends on how a processor rounds, for `proofbook shake`.

Each is run as on other machines, within the limits of imitation.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from gradtrace import same_but_for_rounding

from proofbook.model.page import one_line_end, read
from proofbook.model.problem import Problem
from proofbook.model.snippet import dtype_of_results, first_different_line, output_file
from proofbook.run.judge import Result
from proofbook.run.runner import Runner
from proofbook.run.server import COMPILED

SEEDS = range(3)
"""For each of them the last bits of inexact results are moved in other directions."""

PLAIN_PROCESSOR = {"ATEN_CPU_CAPABILITY": "default"}
"""The environment of a processor without AVX; torch reads it when it is imported."""

ABOUT_LAST_DIGITS = re.compile(r"#.*\blast (?:digits?|bits?)\b", re.IGNORECASE)
"""The comment that marks a script about its last digits, which may differ."""
_FIX = (
    "take numbers that need no rounding (whole ones, powers of two), or print what matters; a "
    "snippet that is about it says so: # ... last digits"
)

LIMIT = 300.0
"""The maximum seconds of a run: changing last bits makes a training up to twenty times slower."""


def with_torch(root: Path, scripts: Iterable[str]) -> list[str]:
    """The scripts that can be tried: what is moved are results of torch."""
    return [s for s in scripts if "torch" in read(root / s)] if find_spec("torch") else []


def fragile(root: Path, scripts: Iterable[str]) -> list[Problem]:
    """The scripts whose output differs from the recorded one on a machine that rounds differently.

    Each is run with moved last bits, and on a processor without AVX; the first run in which it
    differs is named. A script with a comment about last digits may differ. `torch.compile` does
    nothing while results are moved, so a script that calls it is run on the other processor alone.
    """
    checked = [s for s in scripts if not ABOUT_LAST_DIGITS.search(read(root / s))]
    files = [root / script for script in checked]
    compiled = {file for file in files if COMPILED in file.read_bytes()}
    with Runner(LIMIT) as runner, Runner(LIMIT, environment=PLAIN_PROCESSOR) as plain:
        futures = []
        for seed in SEEDS:
            name = f"with the last bits of results moved (seed {seed})"
            futures.append(
                (name, [runner.submit(f, seed=seed) for f in files if f not in compiled])
            )
        futures.append(("on a processor without AVX", [plain.submit(f) for f in files]))
        runs = [(name, [one.result() for one in each]) for name, each in futures]
    found: dict[str, Problem] = {}
    for name, results in runs:
        for result in results:
            script = Path(result.path).relative_to(os.path.abspath(root)).as_posix()
            if script not in found and (problem := _difference(root, script, name, result)):
                found[script] = problem
    return [found[script] for script in checked if script in found]


def _difference(root: Path, script: str, machine: str, result: Result) -> Problem | None:
    output = output_file(script)
    if not (root / output).is_file():
        fix = f"proofbook update {script}"
        return Problem(output, 1, "no output is recorded", "a file", "none", fix)
    recorded, printed = read(root / output), one_line_end(result.stdout)
    if result.refusal:
        why = result.refusal
        what = f"{machine}: {why.what}"
        fix = why.fix.replace("SCRIPT", script)
        return Problem(script, why.line, what, why.expected, why.found, fix)
    if same_but_for_rounding(recorded, printed, dtype_of_results(read(root / script))):
        return None
    line, said, prints = first_different_line(recorded, printed)
    what = f"{script} prints something else {machine}"
    return Problem(output, line, what, f"{said}    (recorded)", prints, _FIX)
