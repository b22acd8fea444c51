"""Records the outputs and traces of scripts, and shows each difference."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from gradtrace import first_difference, parse_trace, trace_path

from proofbook.model.page import read
from proofbook.model.problem import Problem
from proofbook.model.snippet import first_different_line
from proofbook.model.temporary import write_text
from proofbook.model.varied_runs import VariedScriptRun, format_runs, varied_file
from proofbook.run.judge import Result, refused
from proofbook.run.runner import Runner
from proofbook.run.runs import PLAIN, RECORDED, VARIED

Asked = tuple[Sequence[str], Sequence[tuple[str, ...]], Sequence[tuple[str, str]]]
"""The variations of a script: the pages' options, the values of each run, its variants."""

TIME_ZONES = ("<east>-14", "<west>+12")
"""26 hours apart, so that it is never the same day in both."""


def record(
    root: Path,
    scripts: Iterable[str],
    traced: Collection[str] = (),
    varied: Mapping[str, Asked] | None = None,
) -> tuple[list[str], list[Problem], int]:
    """Run each script twice and write its `.out`; returns the differences, the problems, and the
    number of unchanged outputs and recordings.

    The second run has another hash seed, another address space and the reverse order. An output is
    written only if both runs printed the same; all others are left unchanged. For the scripts in
    `traced` the recording (`.trace`) is written in the same way, once their output is recorded, and
    for those in `varied` the runs with other numbers (`.varied`).
    """
    scripts, varied = list(scripts), varied or {}
    differences, problems, same = [], [], 0
    east, west = ({"TZ": zone} for zone in TIME_ZONES)
    with Runner(environment=east) as one, Runner(hash_seed=1, environment=west) as other:
        for way, of_them in ((PLAIN, scripts), (RECORDED, traced), (VARIED, varied)):
            failed = {problem.file for problem in problems}
            chosen = [script for script in scripts if script in of_them and script not in failed]

            def submit(by: Runner, script: str, step: int) -> Future[Result]:
                variants = varied[script][2][::step] if way == VARIED else ()  # noqa: B023
                recorded = way != PLAIN and script in traced  # noqa: B023
                return by.submit(root / script, recorded, variants=variants)

            first = [submit(one, script, 1) for script in chosen]
            second = [submit(other, script, -1) for script in reversed(chosen)][::-1]
            for script, *runs in zip(chosen, first, second, strict=True):
                a, b = (run.result() for run in runs)
                if way == VARIED:
                    found = _record_variants(root, script, varied[script], script in traced, a, b)
                else:
                    found = _record(root, script, way, a, b)
                if isinstance(found, Problem):
                    problems.append(found)
                elif found:
                    differences.append(found)
                else:
                    same += 1
    return differences, problems, same


def _record(root: Path, script: str, way: str, a: Result, b: Result) -> str | Problem:
    """Write the output or the recording of a script; returns the changes, or the error."""
    file = root / script
    if failed := next((run for run in (a, b) if run.refusal), None):
        return refused(script, failed, only_recorded=way == RECORDED)
    if way == RECORDED:
        if difference := first_difference(a.trace, b.trace):
            return _unsteady(script, *difference[2:], "did")
        return _write_trace(root, trace_path(file), a.trace)
    if difference := first_different_line(a.stdout, b.stdout):
        return _unsteady(script, *difference[1:])
    return _write(root, file.with_suffix(".out"), a.stdout)


def _record_variants(
    root: Path, script: str, asked: Asked, traced: bool, a: Result, b: Result
) -> str | Problem:
    """Write the runs of a script with other numbers, as `_record`; their figures are not stored:
    each build draws them."""
    varied, values, _ = asked
    if failed := next((run for run in (a, b) if run.refusal), None):
        return refused(script, failed)
    # The second run is in the opposite order: no run may depend on the state left by another.
    for (first, one), (second, other) in zip(a.variants, b.variants[::-1], strict=True):
        if first != second:
            return _unsteady(script, *first_different_line(first, second)[1:])
        if traced and (difference := first_difference(one, other)):
            return _unsteady(script, *difference[2:], "did")
        if not traced and one != other:
            return _unsteady(script, *first_different_line(one, other)[1:], "drew")
    runs = zip(values, a.variants, strict=True)
    kept = [VariedScriptRun(each, told, did if traced else "") for each, (told, did) in runs]
    target = root / varied_file(script)
    text = format_runs(varied, kept, read(trace_path(root / script)) if traced else "")
    if target.is_file() and read(target) == text:
        return ""
    write_text(target, text)
    return f"{varied_file(script)}: {len(kept)} runs recorded"


def _write_trace(root: Path, file: Path, now: str) -> str:
    """Write a recording unless the stored one is the same; returns the first difference.

    Identical ones from another PyTorch are written too: a figure names the version that recorded
    it.
    """
    name = file.relative_to(root).as_posix()
    old = read(file) if file.is_file() else ""
    difference = first_difference(old, now)
    if difference is None:
        if parse_trace(old).torch != parse_trace(now).torch:
            write_text(file, now)
        return ""
    write_text(file, now)
    if not old:
        return f"{name}: recorded"
    line, place, before, after = difference
    return f"{name}:{line}: {place}\n-{before}\n+{after}"


def _unsteady(script: str, first: str, second: str, verb: str = "printed") -> Problem:
    same = {"did": "the same recording", "drew": "the same figure"}.get(verb, "the same output")
    what = f"two runs {verb} different things, so nothing was recorded"
    fix = (
        "fix the seed (torch.manual_seed(0)), sort what has no order, undo what is set for all of "
        f"PyTorch, print no addresses, times or dates; then: proofbook update {script}"
    )
    found = f"{first}    (first run)\n{second}    (second run)"
    return Problem(script, 1, what, f"{same} every time", found, fix)


def _write(root: Path, output: Path, printed: str) -> str:
    name = output.relative_to(root).as_posix()
    raw = output.read_bytes() if output.is_file() else b""
    if raw == printed.encode("utf-8"):
        return ""
    recorded = raw.decode("utf-8", "replace")
    write_text(output, printed)
    old_name = name if raw else "(nothing recorded)"
    rows = difflib.unified_diff(
        recorded.splitlines(), printed.splitlines(), old_name, name, lineterm=""
    )
    return "\n".join(rows) or f"{name}: only the line ends have changed"
