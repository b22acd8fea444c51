"""What one run of one script gave, and the reasons for which a run does not count."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass

OUTPUT_LIMIT = 64 * 1024
"""The most a snippet may print, in bytes: a page could not show more."""


@dataclass(frozen=True)
class Refusal:
    """Why a run does not count; `line` is the line of the script, from 1."""

    what: str
    expected: str
    found: str
    mend: str
    line: int = 1


@dataclass(frozen=True)
class Result:
    """One run of one script: what it printed, or why the run is refused. `seconds` is wall-clock time."""

    path: str
    stdout: str
    seconds: float
    refusal: Refusal | None = None


def judge(
    source: str, exit_code: int, report: Mapping | None, out: bytes, err: bytes, over: Mapping
) -> Refusal | None:
    """Decide whether a finished run counts.

    `report` is what the run said of itself at its very end (None where it did not get there), `over`
    what was seen from outside: `seconds` and `bytes` where a limit was passed, `stdin` if it was
    read, `processes` and `files` that were left behind, `line` where the script stood at the end.
    """
    line = over.get("line") or 1

    def at(*words: str) -> int:
        rows = source.splitlines()
        return next((n for n, row in enumerate(rows, 1) for w in words if w in row), line)

    if seconds := over.get("seconds"):
        return Refusal(
            "the script does not end",
            f"an end within {seconds:g} s",
            f"still running after {seconds:g} s; it was stopped",
            "look for a loop that never ends, or make the example smaller",
            line,
        )
    if over.get("bytes"):
        return Refusal(
            "the script prints too much",
            f"at most {OUTPUT_LIMIT // 1024} kB: a reader must be able to see it",
            f"more than {OUTPUT_LIMIT // 1024} kB; it was stopped",
            "print less",
            at("print("),
        )
    if report is None:
        if exit_code < 0:
            return Refusal(
                "the script was killed by a signal",
                "an ordinary end",
                _signal_name(-exit_code),
                "run it by hand to see where it breaks: python SCRIPT",
                line,
            )
        return Refusal(
            "the script stopped before its end, without an error",
            "the last line is reached and Python shuts down in order",
            f"the process vanished with exit status {exit_code} (os._exit?)",
            "remove the call that ends the process",
            at("os._exit", "_exit("),
        )
    if error := report.get("error"):
        missing = error["type"] == "ModuleNotFoundError"
        return Refusal(
            "the script needs a module that is not installed" if missing else "the script raises",
            "every module it imports is pinned in requirements.txt" if missing else "no error",
            error["text"],
            "pin the package in requirements.txt and install it, or do without it"
            if missing
            else "mend the script; if the error is the point, catch it and print it",
            error["line"] or line,
        )
    if exit_code:
        return Refusal(
            "the script ends with a failure", "exit status 0", f"exit status {exit_code}",
            "mend the script", at("exit("),
        )
    if over.get("stdin"):
        return Refusal(
            "the script reads its standard input",
            "a script that needs nobody at the keyboard",
            "standard input was read",
            "write the value into the script",
            at("input(", "stdin"),
        )
    if err.strip():
        return Refusal(
            "the script prints to standard error",
            "nothing there: a warning that the page is about is caught and printed by the script",
            _tail(err),
            "catch the warning and print it, or mend its cause",
            at("stderr", "warn"),
        )
    if threads := report.get("threads"):
        return Refusal(
            "the script leaves a thread behind", "every thread is joined", ", ".join(threads),
            "join the thread before the script ends", at("Thread", "start("),
        )
    if over.get("processes"):
        return Refusal(
            "the script leaves a process behind",
            "every process it starts has ended and was waited for",
            "a child process was still running; it was stopped",
            "wait for the process, or do without it",
            at("Popen", "Process(", "fork("),
        )
    files = [*over.get("files", ()), *(path for path, _ in report.get("files", ()))]
    if files:
        lines = [number for _, number in report.get("files", ()) if number]
        return Refusal(
            "the script leaves files behind", "no file is left", ", ".join(files),
            "do without the file, or write it into a tempfile.TemporaryDirectory()",
            lines[0] if lines else at("open(", "save(", "write"),
        )
    try:
        text = out.decode("utf-8")
    except UnicodeDecodeError as error:
        return Refusal(
            "the script prints bytes that are not UTF-8", "text in UTF-8",
            f"the byte 0x{out[error.start]:02x}", "print text", at("buffer", "write("),
        )
    if not text.strip():
        return Refusal(
            "the script prints nothing", "at least one labelled line", "no output",
            "print what the page is about: a run without output proves nothing",
            max(1, len(source.splitlines())),
        )
    return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _tail(raw: bytes, most: int = 12) -> str:
    rows = raw.decode("utf-8", "replace").rstrip().splitlines()
    return "\n".join((["..."] if len(rows) > most else []) + rows[-most:])
