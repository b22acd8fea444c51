"""Runs the scripts of a book with two interpreters on one machine and compares what they do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from gradtrace import same_but_for_rounding

from proofbook.check.outputs import refused
from proofbook.directives.registry import traced_scripts
from proofbook.model.book import Book
from proofbook.model.page import one_line_end
from proofbook.model.problem import Problem, without_duplicates
from proofbook.model.snippet import dtype_of_results, output_file
from proofbook.pipeline import Watch
from proofbook.run.other_versions import LIMIT, ask_interpreter, seen_by_reader
from proofbook.run.result import Result
from proofbook.run.runner import Runner
from proofbook.upgrade.differences import OUTPUT, RECORDING, Difference, differences


@dataclass
class Drill:
    """What was found: the two versions, where they differ, what could not be compared.

    `here`: the scripts of which the old version prints something else on this machine than is
    recorded (another machine recorded it, or another version); of them too, the two versions are
    compared as they print here. `problems`: runs that do not count, with either version.
    `refused`: the scripts that the new version alone refuses, as they raise or warn, so that their
    outputs cannot be recorded.
    """

    old: str
    new: str
    scripts: Sequence[str]
    recorded: Sequence[str]
    found: list[Difference] = field(default_factory=list)
    here: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def drill(
    book: Book,
    old_python: str,
    new_python: str,
    scripts: Sequence[str],
    watch: Watch = lambda *_: nullcontext(),
) -> Drill:
    """Run and record the scripts with both interpreters. Raises `Unproved` where one has no torch.

    As both run here, how this machine rounds is no difference between them.
    """
    versions = [ask_interpreter(python)[0] for python in (old_python, new_python)]
    traced = book.fact(traced_scripts)
    recorded = [script for script in scripts if script in traced]
    result = Drill(*versions, scripts, recorded)
    old, new = (_run(book, p, scripts, recorded, watch) for p in (old_python, new_python))
    problems: list[Problem] = []
    for (script, part), before in old.items():
        after = new[script, part]
        texts = [_text(each, part) for each in (before, after)]
        dtype = dtype_of_results(book.text(script))
        if None not in texts:
            result.found += differences(script, part, *texts, dtype)
        if part == OUTPUT and after.refusal and not before.refusal:
            result.refused.append(script)
        runs = zip(versions, (before, after), texts, strict=True)
        problems += [_uncounted(script, part, v, each) for v, each, text in runs if text is None]
        kept = book.text_or_empty(output_file(script))
        if part == OUTPUT and texts[0] and not same_but_for_rounding(kept, texts[0], dtype):
            result.here.append(script)
    result.problems = without_duplicates(problems)
    return result


def _run(
    book: Book, python: str, scripts: Sequence[str], recorded: Sequence[str], watch: Watch
) -> dict[tuple[str, str], Result]:
    jobs = [(script, OUTPUT) for script in scripts] + [(script, RECORDING) for script in recorded]
    with Runner(LIMIT, python=python) as runner:
        waiting = [runner.submit(book.root / script, part == RECORDING) for script, part in jobs]
        with watch(waiting, runner.running, book.root):
            return dict(zip(jobs, (future.result() for future in waiting), strict=True))


def _text(result: Result, part: str) -> str | None:
    """What is compared of a run; None where it does not count."""
    if part == OUTPUT:
        return seen_by_reader(result)
    return one_line_end(result.trace) if result.trace and not result.refusal else None


def _uncounted(script: str, part: str, version: str, result: Result) -> Problem:
    problem = refused(script, result, only_recorded=part == RECORDING)
    what = f"with PyTorch {version}: {problem.what}"
    return Problem(problem.file, problem.line, what, problem.expected, problem.found, problem.mend)
