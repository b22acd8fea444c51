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
        "crashed": (
            "the process of the script was ended before its recording was written, which is lost",
            "a script that ends in Python, or by SIGTERM",
            "see where it crashes: python -X faulthandler; --passes 1 records the first backward\n"
            "pass alone, which is written before the second",
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


def nothing_seen(options: Options, run: RecordedRun, what: str, *texts: str) -> CommandError:
    """The error of a run without anything to show. `texts`: what was expected, and found."""
    expected, found = texts
    end, fix = {
        "end": ("it ran to its end", "call loss.backward() in what it runs, in its main thread"),
        "exit": (
            "it left with sys.exit",
            "see what it printed above, and give it the arguments and files that it needs",
        ),
        "left": ("it left with os._exit", "see what it printed above"),
        "limit": (f"it was stopped after {options.limit} s", "give it more time, or no --limit"),
        "interrupted": ("you interrupted it", "run it again"),
        "terminated": ("SIGTERM ended it", "give it more time"),
        "error": (
            f"it failed first: {run.error}",
            "fix the error; a graph is drawn once an operation has made one",
        ),
        "enough": ("it was stopped", "call loss.backward() in its main thread"),
    }[run.end]
    found += f"; {end}" + (f" (line {run.line})" if run.line else "")
    if run.children:
        children = "child processes" if run.children > 1 else "child process"
        found += f"\nits {run.children} {children} did not run under gradtrace"
        fix = f"let torchrun start the processes: torchrun -m gradtrace {options.name}; or put\n"
        fix += "`with gradtrace.record() as trace:` into the function that trains"
    return CommandError(options.name, 1, what, expected, found, fix)


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
    trace = run.trace
    if run.end not in ("end", "exit", "error"):
        trace = without_unfinished(trace, job.passes or len(backward_passes(trace)))
    notes: list[Note] = [began_note(run.began)] if run.began and run.began.passes else []
    if trace.eager:
        notes.append(("note_eager", {}))
    if trace.left_out:
        notes.append(("note_full", dict(trace.left_out)))
    phrases = LANGUAGES[language]
    sentences = [phrases[key].format(**parts) for key, parts in notes]
    return replace(trace, left_out=None), [
        *sentences,
        *end_note(replace(run, trace=trace), job.limit, language, job.stop),
    ]


def end_note(run: RecordedRun, limit: float | None, language: str, stop: bool = False) -> list[str]:
    """A sentence on what ended the recording, if it wasn't the script's own end."""
    key = "stopped" if run.end == "enough" and stop else run.end
    total = len(backward_passes(run.trace))
    facts = {"line": run.line or "?", "message": run.error, "total": total, "seconds": limit}
    phrases = LANGUAGES[language]
    found = phrases.get(f"note_{key}_one" if total == 1 else "") or phrases.get(f"note_{key}")
    return [found.format(**facts)] if found else []
