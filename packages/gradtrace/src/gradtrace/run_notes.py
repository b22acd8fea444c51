"""The notes on a run: how the recording began and ended, or why there is none."""

from __future__ import annotations

from dataclasses import replace

from gradtrace.graph.passes import backward_passes, without_unfinished
from gradtrace.options import CommandError, Options
from gradtrace.recording.runner import Began, FailedRun, Job, RecordedRun
from gradtrace.trace import Trace
from gradtrace.words import LANGUAGES


def run_failure(options: Options, run: FailedRun) -> CommandError:
    """The error of a run without a trace."""
    plain = options.file or f"-m {options.module}"
    one_that_ends = "a script that ends, or that can be stopped"
    what, expected, fix = {
        "interrupted": (
            "it was interrupted before anything was recorded",
            one_that_ends,
            "run it again",
        ),
        "hangs": ("the script does not end", one_that_ends, "look for what it waits for"),
        "no module": (
            "there is no such module",
            "a module or a package with a __main__, in this folder or installed",
            "name one, as python -m does: gradtrace -m package.train",
        ),
        "died": (
            "the process that records ended too early",
            one_that_ends,
            "see what it printed above; torch must be installed: pip install torch",
        ),
        "unrecordable": (
            "this script cannot be recorded",
            "a script that leaves the recorder in its place",
            "take out what sets a trace function (a debugger, coverage) or recurses very deep",
        ),
        "fault": (
            f"the recorder of gradtrace failed, and not {options.name}",
            "a recorder that knows the installed PyTorch",
            f"update gradtrace, or take an older PyTorch; python {plain} runs as ever",
        ),
    }[run.why]
    return CommandError(run.file or options.name, run.line, what, expected, run.found, fix)


Note = tuple[str, dict]
"""The key of a phrase, with the values of its placeholders."""


def began_note(began: Began) -> Note:
    """Where a recording began; how to record the pass itself in which a number was found."""
    step = began.steps + (began.found != "zero")
    parts = {"step": step, "passes": began.passes, "next": began.passes + 1, "of": began.of}
    number = began.passes + (began.found == "start")
    again = f"--steps {step}" if began.steps else f"--passes {number}"
    return f"note_began_{began.found}", parts | {"again": again}


def finished_trace(run: RecordedRun, job: Job, language: str) -> tuple[Trace, list[str]]:
    """The trace of a run without unfinished events, and sentences on its beginning and end."""
    trace, line = run.trace, run.line or "?"
    if run.end in ("enough", "limit", "interrupted"):
        trace = without_unfinished(trace, job.passes or len(backward_passes(trace)))
    notes: list[Note] = [began_note(run.began)] if run.began and run.began.passes else []
    if trace.eager:
        notes.append(("note_eager", {}))
    if trace.left_out:
        notes.append(("note_full", dict(trace.left_out)))
    if run.end == "error":
        notes.append(("note_error", {"line": line, "message": run.error}))
    elif run.end == "enough":
        key = "note_stopped" if job.stop else "note_enough"
        notes.append((key, {"line": line, "total": len(backward_passes(trace))}))
    elif run.end == "limit":
        notes.append(("note_limit", {"line": line, "seconds": f"{job.limit:g}"}))
    elif run.end == "interrupted":
        notes.append(("note_interrupted", {"line": line}))
    phrases = LANGUAGES[language]
    return replace(trace, left_out=None), [phrases[key].format(**parts) for key, parts in notes]
