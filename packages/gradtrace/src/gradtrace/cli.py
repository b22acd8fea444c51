"""`gradtrace FILE`: records a script of a reader, and writes one HTML file.

The script runs in a process of its own; this one never imports torch.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import locale
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from gradtrace.graph.excerpt import PASSES, Note, excerpt, tidied, walked
from gradtrace.graph.nodes import read_graph
from gradtrace.model import Trace, parsed
from gradtrace.narrate.phrases import WORDS
from gradtrace.problem import Problem, Unproved
from gradtrace.render.standalone import made_here, page

LIMIT = 60.0
"""Seconds that a script may take, unless the reader says another number."""
GRACE = 5.0
"""Seconds after which a script that cannot be stopped in order is killed."""
ENDING = ".html"


@dataclass(frozen=True)
class Wish:
    """What was asked for on the command line."""

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
    parser = argparse.ArgumentParser(
        prog="gradtrace",
        description="Record what autograd did in a script, and write an HTML file that plays it.",
        epilog="arguments of the script stand after --",
    )
    parser.add_argument("file", help="the script, for example train.py")
    parser.add_argument("-o", dest="out", metavar="OUT.html", help="instead of train.html, here")
    parser.add_argument("--language", choices=("zh", "en"), help="instead of that of your terminal")
    parser.add_argument("--passes", metavar="N[-M]", help="the backward passes to show: 1, or 2-3")
    text = f"stop the script after so many seconds (default: {LIMIT:g})"
    parser.add_argument("--limit", type=_seconds, default=LIMIT, metavar="SECONDS", help=text)
    arguments = sys.argv[1:] if arguments is None else arguments
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options, unknown = parser.parse_known_args(arguments[:at])
    if unknown:
        parser.error(
            f"unrecognized arguments: {' '.join(unknown)}; those of your script stand after --"
        )
    try:
        print(trace(Wish(**vars(options), arguments=tuple(arguments[at + 1 :]))))
    except Unproved as unproved:
        print(unproved, file=sys.stderr)
        return 1
    return 0


def trace(wish: Wish) -> str:
    """Record, write the file, and say so; raises `Unproved` where there is nothing to show."""
    script = _script(wish.file)
    out = _out(wish, script)
    asked = _passes(wish)
    language = wish.language or language_of_locale()
    recording, report = _record(script, wish, asked[1] if asked else PASSES)
    recording, notes = _ended(recording, report, wish)
    _check_recorded(recording, report, wish, asked)
    shown = excerpt(recording, asked)
    said = [WORDS[language][key].format(**parts) for key, parts in (*shown.notes, *notes)]
    text = page(script.name, shown, language, said)
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _refused(wish, *_unwritable(out, str(error))) from error
    size = len(text.encode()) / 1000
    told = [f"{out}: {size:.0f} kB, recorded with PyTorch {recording.torch}"]
    return "\n".join([*told, *(f"  {note.replace('`', '')}" for note in said)])


def language_of_locale() -> str:
    """Chinese where the terminal speaks it, else English."""
    told = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), None)
    told = told or locale.getlocale()[0] or ""
    return "zh" if told.lower().startswith(("zh", "chinese")) else "en"


def _seconds(text: str) -> float:
    """A time limit, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) < math.inf:
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")


def _script(file: str) -> Path:
    script = Path(file).resolve()
    mend = "name a script: gradtrace train.py"
    wish = Wish(file)
    if not script.exists():
        raise _refused(wish, "there is no such script", "a file", f"nothing at {script}", mend)
    if script.suffix != ".py" or not script.is_file():
        found = (
            "a folder" if script.is_dir() else f"a file that ends in {script.suffix or 'nothing'}"
        )
        raise _refused(wish, "this is no Python script", "a file that ends in .py", found, mend)
    try:
        script.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        mend = "save it as UTF-8, where you may read it"
        raise _refused(wish, "the script cannot be read", "text", str(error), mend) from error
    return script


def _out(wish: Wish, script: Path) -> Path:
    """Where the file goes; nothing of the reader's is written over unless it is named with -o."""
    out = Path(wish.out) if wish.out else Path(script.stem + ENDING)
    if out.is_dir():
        raise _refused(wish, *_unwritable(out, "a folder"))
    if not out.resolve().parent.is_dir():
        raise _refused(wish, *_unwritable(out, f"no folder {out.resolve().parent}"))
    if not os.access(out if out.exists() else out.resolve().parent, os.W_OK):
        raise _refused(wish, *_unwritable(out, "you may not write there"))
    if out.suffix.lower() not in (ENDING, ".htm"):
        raise _refused(wish, *_unwritable(out, f"a name that does not end in {ENDING}"))
    if wish.out is None and out.exists() and not made_here(out):
        raise _refused(
            wish,
            "there is a file of that name already, and it was not made by this command",
            f"no file {out}, or one that this command made",
            f"{out}, made by something else",
            f"move it away, or name another place: -o traced{ENDING}",
        )
    return out


def _unwritable(out: Path, found: str) -> tuple[str, str, str, str]:
    expected = f"a file that ends in {ENDING}, in a folder that is there"
    return f"{out} cannot be written", expected, found, f"name another place: -o trace{ENDING}"


def _passes(wish: Wish) -> tuple[int, int] | None:
    if wish.passes is None:
        return None
    told = re.fullmatch(r"([1-9]\d{0,5})(?:-([1-9]\d{0,5}))?", wish.passes)
    if told and int(told[1]) <= int(told[2] or told[1]):
        return int(told[1]), int(told[2] or told[1])
    what, expected = "these are no backward passes", "--passes 1, or --passes 2-3"
    raise _refused(wish, what, expected, f"--passes {wish.passes}", "count the passes from 1")


def _record(script: Path, wish: Wish, most: int) -> tuple[Trace, dict]:
    """Run the script in a process of its own; its recording, and how it ended."""
    with tempfile.TemporaryDirectory(prefix="gradtrace-") as folder:
        job = {"script": str(script), "arguments": wish.arguments, "folder": folder}
        job_file = Path(folder, "job.json")
        job_file.write_text(json.dumps({**job, "limit": wish.limit, "passes": most}), "utf-8")
        child = Path(__file__).with_name("record") / "script.py"
        process = subprocess.Popen([sys.executable, str(child), str(job_file)])
        try:
            ended = _wait(process, Path(folder), wish.limit)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        report = Path(folder, "report")
        if not report.is_file():
            raise _refused(wish, *_without_report(process.returncode, ended, wish))
        recording = Path(folder, "recording").read_text("utf-8")
        told = json.loads(report.read_text("utf-8"))
    if not recording.startswith("{"):
        raise _refused(
            wish,
            "this script cannot be recorded",
            "a script that leaves the recorder in its place",
            recording,
            "take out what sets a trace function (a debugger, coverage) or recurses very deep",
        )
    return parsed(recording), {**told, "most": most}


def _wait(process: subprocess.Popen, folder: Path, limit: float) -> str:
    """Wait for the end of the script, or of its time; Ctrl-C goes to the script, which saves what
    it has. Gives "ended", "limit" or "interrupted"."""
    until, why = None, "ended"
    while process.poll() is None:
        try:
            if until is None and (folder / "started").exists():
                until = time.monotonic() + limit + GRACE
            if until is not None and time.monotonic() > until:
                return "limit" if why == "ended" else why
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        except KeyboardInterrupt:
            if why == "interrupted":
                return why
            until, why = time.monotonic() + GRACE, "interrupted"
    return why


def _without_report(code: int, ended: str, wish: Wish) -> tuple[str, str, str, str]:
    expected = "a script that ends, or that can be stopped"
    if ended == "interrupted":
        return "it was interrupted before anything was recorded", expected, "Ctrl-C", "run it again"
    if ended == "limit":
        found = f"it hung beyond {wish.limit:g} s, and had to be killed"
        return "the script does not end", expected, found, "look for what it waits for"
    how = f"exit status {code}" if code >= 0 else f"signal {-code}"
    mend = "see what it printed above; torch must be installed: pip install -r requirements.txt"
    return "the process that records ended too early", expected, how, mend


def _ended(recording: Trace, report: dict, wish: Wish) -> tuple[Trace, list[Note]]:
    """The recording without what was cut off, and what a reader must know of the end."""
    end, line = report["end"], report.get("line") or "?"
    if end in ("enough", "limit", "interrupted"):
        recording = tidied(recording, report["most"])
    notes: list[Note] = []
    if recording.left_out:
        notes.append(("note_full", dict(recording.left_out)))
    if end == "error":
        notes.append(("note_error", {"line": line, "message": report["error"]}))
    elif end == "enough":
        notes.append(("note_enough", {"line": line, "total": report["most"]}))
    elif end == "limit":
        notes.append(("note_limit", {"line": line, "seconds": f"{wish.limit:g}"}))
    elif end == "interrupted":
        notes.append(("note_interrupted", {"line": line}))
    return replace(recording, left_out=None), notes


def _check_recorded(
    recording: Trace, report: dict, wish: Wish, asked: tuple[int, int] | None
) -> None:
    """Something can be drawn, and the passes that were asked for are there."""
    passes = len(walked(recording))
    failed = any(event["k"] == "error" for event in recording.events)
    if not (passes or failed) or not read_graph(recording).cards:
        ends = {
            "end": "it ran to its end",
            "limit": f"it was stopped after {wish.limit:g} s",
            "interrupted": "you interrupted it",
            "error": f"it failed first: {report.get('error')}",
        }
        found = "a backward pass without a graph; " if passes else "no backward pass; "
        found += ends.get(report["end"], "it was stopped")
        if line := report.get("line"):
            found += f" (line {line})"
        mend = "call loss.backward() in what the script runs, in its main thread"
        if report["end"] == "limit":
            mend = "give it more time: --limit 300"
        elif report["end"] == "error":
            mend = "mend the error; a graph is drawn once an operation has made one"
        raise _refused(wish, "nothing was recorded", "a backward pass", found, mend)
    if asked and asked[1] > passes:
        found = f"{passes} in this run" if passes else "none: the script failed before the first"
        mend = f"--passes {passes}" if passes else "leave --passes out"
        expected = f"backward pass {wish.passes}"
        raise _refused(wish, "the script has no such backward pass", expected, found, mend)


def _refused(wish: Wish, what: str, expected: str, found: str, mend: str) -> Unproved:
    return Unproved([Problem(wish.file, 1, what, expected, found, mend)])
