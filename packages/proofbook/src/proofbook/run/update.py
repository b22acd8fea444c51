"""Records what the scripts print and do, for `proofbook update`, and shows each difference."""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gradtrace import compare, parse_trace

from proofbook.check.outputs import refused
from proofbook.check.text_difference import first_different_line
from proofbook.model.page import read
from proofbook.model.problem import Problem
from proofbook.model.varied_runs import VariedScriptRun, format_runs, varied_file
from proofbook.run.result import Result
from proofbook.run.runner import Runner

Asked = tuple[Sequence[str], Sequence[tuple[str, ...]], Sequence[tuple[str, str]]]
"""How a script is varied: what the pages say, the values of each run, and its variants."""

TIME_ZONES = ("<east>-14", "<west>+12")
"""26 hours apart, so that it is never the same day in both."""


def record(
    root: Path,
    scripts: Iterable[str],
    traced: Collection[str] = (),
    varied: Mapping[str, Asked] | None = None,
) -> tuple[list[str], list[Problem], int]:
    """Run each script twice and write its `.out`; gives the differences, the problems, and how many
    outputs and recordings are as before.

    The second run has another hash seed, another address space and the reverse order. An output is
    written only if both runs printed the same; all others stay as they are. Of the scripts in
    `traced` the recording (`.trace`) is written in the same way, once their output is recorded, and
    of those in `varied` the runs with other numbers (`.varied`).
    """
    scripts = list(scripts)
    differences, problems, same = [], [], 0
    for script, file, a, b in _run_twice(root, scripts):
        if failed := next((run for run in (a, b) if run.refusal), None):
            problems.append(refused(script, failed))
        elif a.stdout != b.stdout:
            _, first, second = first_different_line(a.stdout, b.stdout)
            problems.append(_unsteady(script, first, second))
        elif difference := _write(root, file.with_suffix(".out"), a.stdout):
            differences.append(difference)
        else:
            same += 1
    failed = {problem.file for problem in problems}
    recorded = [script for script in scripts if script in traced and script not in failed]
    traces, more, as_before = _record_traces(root, recorded)
    failed |= {problem.file for problem in more}
    for script in scripts:
        if varied and script in varied and script not in failed:
            found = _record_variants(root, script, varied[script], script in traced)
            if isinstance(found, Problem):
                more.append(found)
            elif found:
                traces.append(found)
            else:
                as_before += 1
    return differences + traces, problems + more, same + as_before


@contextlib.contextmanager
def two_runners() -> Iterator[tuple[Runner, Runner]]:
    """Two runners in which what differs from run to run is as different as it may be."""
    first, second = ({"TZ": zone} for zone in TIME_ZONES)
    with Runner(environment=first) as one, Runner(hash_seed=1, environment=second) as other:
        yield one, other


def _run_twice(
    root: Path, scripts: list[str], trace: bool = False
) -> list[tuple[str, Path, Result, Result]]:
    """Each script with its file and its two runs, the second as different as it may be."""
    files = [root / script for script in scripts]
    with two_runners() as (one, other):
        first = [one.submit(file, trace) for file in files]
        second = [other.submit(file, trace) for file in reversed(files)][::-1]
        runs = [(a.result(), b.result()) for a, b in zip(first, second, strict=True)]
    return [(s, file, a, b) for s, file, (a, b) in zip(scripts, files, runs, strict=True)]


def _record_traces(root: Path, scripts: list[str]) -> tuple[list[str], list[Problem], int]:
    if not scripts:
        return [], [], 0
    differences, problems, same = [], [], 0
    for script, file, a, b in _run_twice(root, scripts, trace=True):
        if failed := next((run for run in (a, b) if run.refusal), None):
            problems.append(refused(script, failed, only_recorded=True))
        elif difference := compare.first_difference(a.trace, b.trace):
            problems.append(_unsteady(script, *difference[2:], "did"))
        elif difference := _write_trace(root, compare.trace_path(file), a.trace):
            differences.append(difference)
        else:
            same += 1
    return differences, problems, same


def _record_variants(root: Path, script: str, asked: Asked, traced: bool) -> str | Problem:
    """Write the runs of a script with other numbers; gives what has changed, or what is wrong.

    What a run draws is not kept: each build draws it.
    """
    file, (varied, values, variants) = root / script, asked
    with two_runners() as (one, other):
        futures = [
            one.submit(file, traced, variants=variants),
            other.submit(file, traced, variants=variants[::-1]),
        ]
        a, b = (future.result() for future in futures)
    if failed := next((run for run in (a, b) if run.refusal), None):
        return refused(script, failed)
    for (first, figure), (second, other_figure) in zip(a.variants, b.variants[::-1], strict=True):
        if first != second:
            return _unsteady(script, *first_different_line(first, second)[1:])
        if not traced and figure != other_figure:
            return _unsteady(script, *first_different_line(figure, other_figure)[1:], "drew")
    runs = zip(values, a.variants, strict=True)
    kept = [VariedScriptRun(each, told, did if traced else "") for each, (told, did) in runs]
    target = root / varied_file(script)
    text = format_runs(varied, kept, read(compare.trace_path(file)) if traced else "")
    if target.is_file() and read(target) == text:
        return ""
    _replace(target, text)
    return f"{varied_file(script)}: {len(kept)} runs recorded"


def _write_trace(root: Path, file: Path, now: str) -> str:
    """Write a recording unless the one that is kept is the same; gives the first difference.

    The same from another PyTorch is written too: a figure says by which it was recorded.
    """
    name = file.relative_to(root).as_posix()
    old = read(file) if file.is_file() else ""
    difference = compare.first_difference(old, now)
    if difference is None:
        if parse_trace(old).torch != parse_trace(now).torch:
            _replace(file, now)
        return ""
    _replace(file, now)
    if not old:
        return f"{name}: recorded"
    line, place, before, after = difference
    return f"{name}:{line}: {place}\n-{before}\n+{after}"


def _unsteady(script: str, first: str, second: str, verb: str = "printed") -> Problem:
    return Problem(
        script,
        1,
        f"two runs {verb} different things, so nothing was recorded",
        {"did": "the same recording", "drew": "the same figure"}.get(verb, "the same output")
        + " every time",
        f"{first}    (first run)\n{second}    (second run)",
        "fix the seed (torch.manual_seed(0)), sort what has no order, "
        f"print no addresses, times or dates; then: proofbook update {script}",
    )


def _write(root: Path, output: Path, printed: str) -> str:
    name = output.relative_to(root).as_posix()
    raw = output.read_bytes() if output.is_file() else b""
    if raw == printed.encode("utf-8"):
        return ""
    recorded = raw.decode("utf-8", "replace")
    _replace(output, printed)
    old_name = name if raw else "(nothing recorded)"
    rows = difflib.unified_diff(
        recorded.splitlines(), printed.splitlines(), old_name, name, lineterm=""
    )
    return "\n".join(rows) or f"{name}: only the line ends have changed"


def _replace(file: Path, text: str) -> None:
    """Write a file, all of it or nothing."""
    new = file.with_name(file.name + ".new")
    new.write_text(text, encoding="utf-8", newline="\n")
    os.replace(new, file)
