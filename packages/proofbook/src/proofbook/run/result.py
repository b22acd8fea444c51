"""What one run of one script gave, and the reasons for which a run does not count."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence
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
    """What one run of one script printed, or why it is refused; `seconds` is wall-clock time.

    `trace` is the text of its recording, where one was asked for; `figures` are those that it has
    drawn with Matplotlib, as SVG.
    """

    path: str
    stdout: str
    seconds: float
    refusal: Refusal | None = None
    trace: str | None = None
    figures: Sequence[str] = ()


def judge(
    source: str, exit_code: int, report: Mapping | None, out: bytes, err: bytes, over: Mapping
) -> Refusal | None:
    """Decide whether a finished run counts.

    `report` is what the run said of itself at its very end (None where it did not get there),
    `over` what was seen from outside: `seconds` and `bytes` where a limit was passed, `stdin` if
    it was read, `processes` and `files` that were left behind, `line` where the script stood at
    the end, `script` and `folder`: the paths of the script and of the folder that it was given.
    """
    return (
        _over_a_limit(source, over)
        or _without_end(source, exit_code, report, err, over)
        or _with_failure(source, exit_code, report, err, over)
        or _with_leftovers(source, report, over)
        or _with_bad_output(source, out, over)
    )


def judge_recording(told: str) -> Refusal | None:
    """Decide whether what the recorder saved is a recording: where it failed, it says why."""
    if told.startswith("{"):
        return None
    return Refusal(
        "the recorder failed on this script",
        "a whole recording, or none",
        told,
        "the script may be right: do without figure: trace, or mend gradtrace",
    )


def _line(source: str, over: Mapping, *words: str) -> int:
    """The first line with the first of `words` that is there, else where it stood, else line 1."""
    rows = list(enumerate(source.split("\n"), 1))
    found = next((number for word in words for number, row in rows if word in row), 0)
    return found or over.get("line") or 1


def _over_a_limit(source: str, over: Mapping) -> Refusal | None:
    if seconds := over.get("seconds"):
        return Refusal(
            "the script does not end",
            f"an end within {seconds:g} s",
            f"still running after {seconds:g} s; it was stopped",
            "look for a loop that never ends, or make the example smaller",
            _line(source, over),
        )
    if over.get("bytes"):
        return Refusal(
            "the script prints too much",
            f"at most {OUTPUT_LIMIT // 1024} kB: a reader must be able to see it",
            f"more than {OUTPUT_LIMIT // 1024} kB; it was stopped",
            "print less",
            _line(source, over, "print("),
        )
    return None


def _without_end(
    source: str, exit_code: int, report: Mapping | None, err: bytes, over: Mapping
) -> Refusal | None:
    if report is not None:
        return None
    if exit_code < 0:
        return Refusal(
            "the script was killed by a signal",
            "an ordinary end",
            _signal_name(-exit_code),
            "run it by hand to see where it breaks: python SCRIPT",
            _line(source, over),
        )
    return Refusal(
        "the script stopped before its end, without an error",
        "the last line is reached and Python shuts down in order",
        f"the process vanished with exit status {exit_code} (os._exit?)\n{_tail(err)}".strip(),
        "remove the call that ends the process",
        _line(source, over, "_exit(", "os.exec"),
    )


def _with_failure(
    source: str, exit_code: int, report: Mapping, err: bytes, over: Mapping
) -> Refusal | None:
    # First: whoever reads nothing but empty lines soon raises, and the reading is the cause.
    if over.get("stdin"):
        return Refusal(
            "the script reads its standard input",
            "a script that needs nobody at the keyboard",
            "standard input was read",
            "write the value into the script",
            _line(source, over, "input(", "stdin", "os.read(0", "open(0"),
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
            error["line"] or _line(source, over),
        )
    if exit_code:
        return Refusal(
            "the script ends with a failure",
            "exit status 0",
            f"exit status {exit_code}\n{_tail(err)}".strip(),
            "mend the script",
            report.get("line") or _line(source, over, "exit("),
        )
    if err.strip():
        place = re.escape(over.get("script", "")) + r'(?:", line |:)(\d+)'
        places = re.findall(place, err.decode("utf-8", "replace"))
        return Refusal(
            "the script prints to standard error",
            "nothing there: a warning that the page is about is caught and printed by the script",
            _tail(err),
            "catch the warning and print it, or mend its cause",
            int(places[-1]) if places else _line(source, over, "stderr", "warn"),
        )
    return None


def _with_leftovers(source: str, report: Mapping, over: Mapping) -> Refusal | None:
    if threads := report.get("threads"):
        return Refusal(
            "the script leaves a thread behind",
            "every thread is joined",
            ", ".join(threads),
            "join the thread before the script ends",
            _line(source, over, "Thread(", "Executor(", "Pool(", "start("),
        )
    if over.get("processes"):
        return Refusal(
            "the script leaves a process behind",
            "every process it starts has ended and was waited for",
            "a child process was still running; it was stopped",
            "wait for the process, or do without it",
            _line(source, over, "Popen(", "Process(", "fork(", "subprocess.", "os.system("),
        )
    if files := over.get("files"):
        lines = [number for _, number in report.get("files", ()) if number]
        return Refusal(
            "the script leaves files behind",
            "no file is left",
            ", ".join(files),
            "do without the file, or write it into a tempfile.TemporaryDirectory()",
            lines[0] if lines else _line(source, over, "save(", "open(", "write"),
        )
    return None


def _with_bad_output(source: str, out: bytes, over: Mapping) -> Refusal | None:
    try:
        text = out.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return Refusal(
            "the script prints bytes that are not UTF-8",
            "text in UTF-8",
            f"the byte 0x{out[error.start]:02x}",
            "print text",
            _line(source, over, "buffer", "os.write(", "write("),
        )
    if not text.strip():
        return Refusal(
            "the script prints nothing",
            "at least one labelled line",
            "no output",
            "print what the page is about: a run without output proves nothing",
            max(1, len(source.rstrip("\n").split("\n"))),
        )
    if odd := re.search(r"[\x00-\x09\x0b-\x1f\x7f]|\A\n", text):
        return Refusal(
            "the script prints what a page cannot show",
            "no tabs, no control characters, no empty first line",
            f"the character {odd[0]!r} at position {odd.start()}",
            "print blanks, and begin with a label",
            _line(source, over, "\\t", "\\n", "print("),
        )
    places = [over[name] for name in ("script", "folder") if name in over]
    if rows := [row for row in text.split("\n") if any(place in row for place in places)]:
        return Refusal(
            "the script prints a path of this machine",
            "the same output on every machine",
            rows[0],
            "print the message of the error without its traceback, or the name without its folder",
            _line(source, over, "print_exc", "format_exc", "__file__", "getcwd", "gettempdir"),
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
