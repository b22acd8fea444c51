"""`gradtrace FILE`: records a script, and writes one HTML file that plays what autograd did.

The script runs in a process of its own; this one never imports torch.
"""

from __future__ import annotations

import argparse
import contextlib
import locale
import math
import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from gradtrace.errors import CommandError
from gradtrace.graph.build import build_graph
from gradtrace.graph.excerpt import MAX_PASSES, Note, excerpt, without_unfinished
from gradtrace.graph.passes import backward_passes
from gradtrace.narrate.languages import LANGUAGES, language_of_locale
from gradtrace.record.script_runner import FailedRun, RecordedRun, run_recorded
from gradtrace.render.standalone import is_standalone_page, standalone_page
from gradtrace.trace import Trace

LIMIT = 60.0
"""Seconds that a script may take, unless another number is given."""
SUFFIX = ".html"


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line; `arguments` are those of the script."""

    file: str
    out: str | None = None
    language: str | None = None
    passes: str | None = None
    limit: float = LIMIT
    arguments: tuple[str, ...] = ()


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives the exit status."""
    for stream in (sys.stdout, sys.stderr):  # a Chinese Windows cannot print every character
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        print(write_page(_parse(sys.argv[1:] if arguments is None else arguments)))
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def write_page(options: Options) -> str:
    """Record the script and write the file; gives what to print about it.

    Raises `CommandError` where there is nothing to show, or no place to write it.
    """
    script = _script(options.file)
    out = _out(options, script)
    passes = _passes(options)
    language = options.language or _language_of_terminal()
    max_passes = passes[1] if passes else MAX_PASSES
    run = run_recorded(script, options.arguments, options.limit, max_passes)
    if isinstance(run, FailedRun):
        raise _failure(options, run)
    trace, notes = _trace_and_notes(run, options, max_passes)
    _check_passes(trace, run, options, passes)
    shown = excerpt(trace, passes)
    phrases = LANGUAGES[language]
    sentences = [phrases[key].format(**parts) for key, parts in (*shown.notes, *notes)]
    text = standalone_page(script.name, shown, language, sentences)
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _unwritable(options, out, str(error)) from error
    size = len(text.encode()) / 1000
    first = f"{out}: {size:.0f} kB, recorded with PyTorch {trace.torch}"
    return "\n".join([first, *(f"  {sentence.replace('`', '')}" for sentence in sentences)])


def _parse(arguments: list[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="gradtrace",
        description="Record what autograd did in a script, and write an HTML file that plays it.",
        epilog="arguments of the script stand after --",
    )
    parser.add_argument("file", help="the script, for example train.py")
    parser.add_argument("-o", dest="out", metavar="OUT.html", help="instead of train.html, here")
    text = "instead of that of your terminal"
    parser.add_argument("--language", choices=tuple(LANGUAGES), help=text)
    parser.add_argument("--passes", metavar="N[-M]", help="the backward passes to show: 1, or 2-3")
    text = f"stop the script after so many seconds (default: {LIMIT:g})"
    parser.add_argument("--limit", type=_seconds, default=LIMIT, metavar="SECONDS", help=text)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options, unknown = parser.parse_known_args(arguments[:end])
    if unknown:
        parser.error(
            f"unrecognized arguments: {' '.join(unknown)}; those of your script stand after --"
        )
    return Options(**vars(options), arguments=tuple(arguments[end + 1 :]))


def _seconds(text: str) -> float:
    """A time limit, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) < math.inf:
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")


def _language_of_terminal() -> str:
    names = map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    return language_of_locale(next(filter(None, names), None) or locale.getlocale()[0] or "")


def _script(file: str) -> Path:
    script = Path(file).resolve()
    mend = "name a script: gradtrace train.py"
    if not script.exists():
        found = f"nothing at {script}"
        raise CommandError(file, 1, "there is no such script", "a file", found, mend)
    if script.suffix != ".py" or not script.is_file():
        found = f"a file that ends in {script.suffix or 'nothing'}"
        found = "a folder" if script.is_dir() else found
        expected = "a file that ends in .py"
        raise CommandError(file, 1, "this is no Python script", expected, found, mend)
    try:
        script.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what, mend = "the script cannot be read", "save it as UTF-8, where you may read it"
        raise CommandError(file, 1, what, "text", str(error), mend) from error
    return script


def _out(options: Options, script: Path) -> Path:
    """Where the file goes; a file of another origin is written over only if named with -o."""
    out = Path(options.out) if options.out else Path(script.stem + SUFFIX)
    folder = out.resolve().parent
    if out.is_dir():
        raise _unwritable(options, out, "a folder")
    if not folder.is_dir():
        raise _unwritable(options, out, f"no folder {folder}")
    if not os.access(out if out.exists() else folder, os.W_OK):
        raise _unwritable(options, out, "you may not write there")
    if out.suffix.lower() not in (SUFFIX, ".htm"):
        raise _unwritable(options, out, f"a name that does not end in {SUFFIX}")
    if options.out is None and out.exists() and not is_standalone_page(out):
        raise CommandError(
            options.file,
            1,
            "there is a file of that name already, and it was not made by this command",
            f"no file {out}, or one that this command made",
            f"{out}, made by something else",
            f"move it away, or name another place: -o traced{SUFFIX}",
        )
    return out


def _unwritable(options: Options, out: Path, found: str) -> CommandError:
    what, mend = f"{out} cannot be written", f"name another place: -o trace{SUFFIX}"
    expected = f"a file that ends in {SUFFIX}, in a folder that is there"
    return CommandError(options.file, 1, what, expected, found, mend)


def _passes(options: Options) -> tuple[int, int] | None:
    """The first and the last backward pass that are asked for."""
    if options.passes is None:
        return None
    match = re.fullmatch(r"([1-9]\d{0,5})(?:-([1-9]\d{0,5}))?", options.passes)
    if match and int(match[1]) <= int(match[2] or match[1]):
        return int(match[1]), int(match[2] or match[1])
    what, expected = "these are no backward passes", "--passes 1, or --passes 2-3"
    found, mend = f"--passes {options.passes}", "count the passes from 1"
    raise CommandError(options.file, 1, what, expected, found, mend)


def _failure(options: Options, run: FailedRun) -> CommandError:
    what, expected, mend = {
        "interrupted": (
            "it was interrupted before anything was recorded",
            "a script that ends, or that can be stopped",
            "run it again",
        ),
        "hangs": (
            "the script does not end",
            "a script that ends, or that can be stopped",
            "look for what it waits for",
        ),
        "died": (
            "the process that records ended too early",
            "a script that ends, or that can be stopped",
            "see what it printed above; torch must be installed: pip install torch",
        ),
        "unrecordable": (
            "this script cannot be recorded",
            "a script that leaves the recorder in its place",
            "take out what sets a trace function (a debugger, coverage) or recurses very deep",
        ),
        "fault": (
            f"the recorder of gradtrace failed, and not {options.file}",
            "a recorder that knows the installed PyTorch",
            f"update gradtrace, or take an older PyTorch; python {options.file} runs as ever",
        ),
    }[run.why]
    return CommandError(run.file or options.file, run.line, what, expected, run.found, mend)


def _trace_and_notes(
    run: RecordedRun, options: Options, max_passes: int
) -> tuple[Trace, list[Note]]:
    """The trace without what is unfinished, and what a reader must know of the end."""
    trace, line = run.trace, run.line or "?"
    if run.end in ("enough", "limit", "interrupted"):
        trace = without_unfinished(trace, max_passes)
    notes: list[Note] = []
    if trace.left_out:
        notes.append(("note_full", dict(trace.left_out)))
    if run.end == "error":
        notes.append(("note_error", {"line": line, "message": run.error}))
    elif run.end == "enough":
        notes.append(("note_enough", {"line": line, "total": max_passes}))
    elif run.end == "limit":
        notes.append(("note_limit", {"line": line, "seconds": f"{options.limit:g}"}))
    elif run.end == "interrupted":
        notes.append(("note_interrupted", {"line": line}))
    return replace(trace, left_out=None), notes


def _check_passes(
    trace: Trace, run: RecordedRun, options: Options, passes: tuple[int, int] | None
) -> None:
    """Raise `CommandError` where nothing can be drawn, or not the passes that are asked for."""
    total = len(backward_passes(trace))
    failed = any(event["k"] == "error" for event in trace.events)
    if not (total or failed) or not build_graph(trace).boxes:
        ends = {
            "end": "it ran to its end",
            "limit": f"it was stopped after {options.limit:g} s",
            "interrupted": "you interrupted it",
            "error": f"it failed first: {run.error}",
        }
        found = "a backward pass without a graph; " if total else "no backward pass; "
        found += ends.get(run.end, "it was stopped")
        found += f" (line {run.line})" if run.line else ""
        mend = "call loss.backward() in what the script runs, in its main thread"
        if run.end == "limit":
            mend = "give it more time: --limit 300"
        elif run.end == "error":
            mend = "mend the error; a graph is drawn once an operation has made one"
        what = "nothing was recorded"
        raise CommandError(options.file, 1, what, "a backward pass", found, mend)
    if passes and passes[1] > total:
        found = f"{total} in this run" if total else "none: the script failed before the first"
        mend = f"--passes {total}" if total else "leave --passes out"
        what, expected = "the script has no such backward pass", f"backward pass {options.passes}"
        raise CommandError(options.file, 1, what, expected, found, mend)
