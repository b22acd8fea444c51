"""`gradtrace FILE`: records a script, and writes one HTML file that plays what autograd did.

The script runs in a process of its own; this one never imports torch.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from difflib import get_close_matches
from pathlib import Path

from gradtrace.doctor import Run, diagnose, page_diagnosis
from gradtrace.doctor.command import examine
from gradtrace.doctor.why import explain
from gradtrace.drawing.page import MAX_VARIED_SIZE, TooLarge, standalone_page
from gradtrace.drawing.player_data import VariedRun, VariedRuns
from gradtrace.graph.groups import module_paths
from gradtrace.graph.passes import MAX_PASSES, backward_passes, can_be_drawn
from gradtrace.options import (
    CommandError,
    Options,
    page_path,
    parse_options,
    passes_asked_for,
    script_path,
    steps_asked_for,
    unwritable,
)
from gradtrace.recording.runner import (
    FailedRun,
    Job,
    RecordedRun,
    ScriptProcess,
    UnbegunRun,
)
from gradtrace.run_notes import began_note, finished_trace, nothing_seen, run_failure
from gradtrace.trace import Trace
from gradtrace.vary import VariedScript, run_variants, varied_script
from gradtrace.words import LANGUAGES

CLOSED_PIPE = 141
"""The exit status when the output pipe is closed, as in a shell."""
MAX_NAMED = 20
"""The number of modules that are named where the requested one doesn't exist."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status: the script's if it ran."""
    for stream in (sys.stdout, sys.stderr):  # a Chinese Windows cannot print every character
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments[:1] == ["doctor"]:
            status = examine(arguments[1:])
        elif arguments[:1] == ["why"]:
            status = explain(arguments[1:])
        else:
            status = record_page(parse_options(arguments))
        if sys.stdout is not None:  # closed by `>&-`
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe: `gradtrace doctor x.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end
        return CLOSED_PIPE
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    return status


def record_page(options: Options) -> int:
    """Run the script, write the page once enough is recorded, and wait for the script's end.

    Returns the exit status of the script, or 1 if it ended well and there is no page, although
    there was something to record; says on stderr what was written, since stdout is the script's.
    Raises `CommandError` where the script cannot be run, or the page has no place.
    """
    script = script_path(options.file) if options.file else None
    out = page_path(options)
    passes, steps = passes_asked_for(options), steps_asked_for(options)
    job = Job(
        *(str(script or ""), options.module, options.arguments),
        passes=_most_passes(passes, steps, options.until),
        steps=steps,
        until=options.until,
        stop=options.stop,
        name=options.file,
        limit=options.limit,
    )
    to_vary = _to_vary(options, script) if options.vary and script else None
    phrases = LANGUAGES[options.page_language]
    failed = 0
    with ScriptProcess(job) as process:
        run = process.recorded()
        try:
            if isinstance(run, FailedRun):
                raise run_failure(options, run)
            if isinstance(run, UnbegunRun):
                key = "step" if options.steps else options.until.replace("-", "_")
                parts = {"steps": run.steps, "passes": run.passes}
                parts["first"] = (options.steps or "").partition("-")[0]
                print(phrases[f"never_{key}"].format(**parts), file=sys.stderr)
            elif run.began and not (backward_passes(run.trace) or run.end == "error"):
                key, parts = began_note(run.began)
                said = f"{phrases[key].format(**parts)} {phrases['nothing_after']}"
                print(said.replace("`", ""), file=sys.stderr)
            else:
                trace, notes = finished_trace(run, job, options.page_language)
                _check_passes(trace, run, options, passes)
                _check_module(trace, options)
                varied = None
                if options.vary:
                    script_runs = to_vary or _to_vary(options, Path(run.script))
                    own = VariedRun(trace.stdout, trace, notes)
                    process.wait()  # one run after another
                    varied = run_variants(options, job, script_runs, own)
                    if all(run.trace and _facts(run.trace) == _facts(trace) for run in varied.runs):
                        names = ", ".join(number.name for number in varied.numbers)
                        notes.append(phrases["vary_same"].format(names=names))
                print(_write_page(options, run, out, trace, notes, passes, varied), file=sys.stderr)
                if options.open and not webbrowser.open(out.resolve().as_uri()):
                    print(phrases["no_browser"], file=sys.stderr)
        except CommandError as error:
            print(error, file=sys.stderr)
            failed = 1
        status = process.wait()
        if isinstance(run, RecordedRun) and (later := process.later_error()):
            print(phrases["later_error"].format(message=later), file=sys.stderr)
    return status or failed


def _most_passes(
    passes: tuple[int, int] | None, steps: tuple[int, int | None] | None, until: str | None
) -> int | None:
    """The number of backward passes to record at most: all, if the steps have an end; otherwise
    only the last are retained."""
    if until == "error":
        return None
    if passes:
        return passes[1]
    return None if steps and steps[1] else MAX_PASSES


def _to_vary(options: Options, script: Path) -> VariedScript | None:
    """The script with other numbers; None if it is not valid Python, which its run will report."""
    try:
        return varied_script(options, script.read_text(encoding="utf-8-sig"))
    except SyntaxError:
        return None


def _facts(trace: Trace) -> tuple:
    """What distinguishes one run from another for a reader."""
    return trace.events, trace.tensors, trace.stdout


def _write_page(
    options: Options,
    run: RecordedRun,
    out: Path,
    trace: Trace,
    notes: list[str],
    passes: tuple[int, int] | None,
    varied: VariedRuns | None,
) -> str:
    """Write the page of a recording; returns the message to print about it."""
    name, language = Path(run.script).name, options.page_language
    try:
        diagnosis = None
        if varied is None:
            looked_up = Run(trace)
            diagnosis = page_diagnosis(looked_up, diagnose(looked_up), language)
        text = standalone_page(
            *(name, trace, language, notes, passes, options.path), varied, diagnosis
        )
        out.write_text(text, encoding="utf-8", newline="\n")
    except TooLarge as error:
        what, expected = "the page has no room for all runs", f"{MAX_VARIED_SIZE // 1000} kB"
        found = f"{error.size // 1000} kB for {len(varied.runs)} runs"
        fix = "take fewer values, or record less of each run: --passes 1, or --steps 1-2"
        raise CommandError(options.name, 1, what, expected, found, fix) from error
    except OSError as error:
        raise unwritable(options, out, str(error)) from error
    size = len(text.encode()) / 1000
    first = f"{out}: {size:.0f} kB, recorded with PyTorch {trace.torch}"
    return "\n".join([first, *(f"  {sentence.replace('`', '')}" for sentence in notes)])


def _check_module(trace: Trace, options: Options) -> None:
    """Raise `CommandError` where the requested module was not called."""
    paths = module_paths(trace)
    if not options.path or options.path in paths:
        return
    near = get_close_matches(options.path, paths, n=3, cutoff=0.4) or paths[:3]
    what = f"no module {options.path} was called in what was recorded"
    found = ", ".join(paths[:MAX_NAMED]) + (", ..." if len(paths) > MAX_NAMED else "")
    fix = " or ".join(f"--module {path}" for path in near) or "leave --module out"
    expected = "the path of a module, from its name in the script on"
    raise CommandError(options.name, 1, what, expected, found or "no module", fix)


def _check_passes(
    trace: Trace, run: RecordedRun, options: Options, passes: tuple[int, int] | None
) -> None:
    """Raise `CommandError` where nothing can be drawn, or the requested passes cannot."""
    total = len(backward_passes(trace))
    if not can_be_drawn(trace):
        found = "a backward pass without a graph" if total else "no backward pass"
        raise nothing_seen(options, run, "nothing was recorded", "a backward pass", found)
    if passes and passes[1] > total:
        found = f"{total} in this run" if total else "none: the script failed before the first"
        fix = f"--passes {total}" if total else "leave --passes out"
        what, expected = "the script has no such backward pass", f"backward pass {options.passes}"
        raise CommandError(options.name, 1, what, expected, found, fix)
