"""The reasons for which a run of a script does not count."""

from __future__ import annotations

import calendar
import re
import signal
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from gradtrace.recording.failure import parse_failure

from proofbook.run.result import OUTPUT_LIMIT, Refusal

RAISES, WARNS = "the script raises", "the script prints to standard error"
LEAVES_THREAD = "the script leaves a thread behind"
"""Reasons that others ask for. A reader would see such a run: with its error, with its warning,
as any other."""


@dataclass
class Observation:
    """What the supervisor saw of a run from outside.

    `script` and `folder`: the paths of the script and of the folder that the run was given;
    `time_limit`: the seconds it was allowed, if it took longer; `line`: the one at which the script
    was stopped or crashed, where it is known.
    """

    script: str
    folder: str
    time_limit: float | None = None
    too_much_output: bool = False
    read_stdin: bool = False
    processes_left: bool = False
    files_left: Sequence[str] = ()
    line: int | None = None


def refusal_of(
    source: str,
    exit_code: int,
    report: Mapping | None,
    stdout: bytes,
    stderr: bytes,
    observed: Observation,
) -> Refusal | None:
    """Why a finished run of the script `source` does not count; None if it counts.

    `report` is what the run reported at its very end (None where it did not get there).
    """
    return (
        _limit_passed(source, observed)
        or _vanished(source, exit_code, report, stderr, observed)
        or _failed(source, exit_code, report, stderr, observed)
        or _left_something(source, report, observed)
        or _unfit_output(source, stdout, observed)
    )


def fault_of_recorder(saved: str) -> Refusal | None:
    """The recorder has failed, whatever the script does: what it saved says where."""
    failure = parse_failure(saved)
    if failure is None or not failure.file:
        return None
    return Refusal(
        "the recorder of gradtrace failed, and not the snippets",
        "a recorder that knows the installed PyTorch",
        failure.found,
        "the snippets are right: mend gradtrace, or go back to the PyTorch that it knows: "
        "python -m pip install -r requirements.txt",
        failure.line,
        failure.file,
    )


def unrecordable(saved: str) -> Refusal | None:
    """The script is of a kind that cannot be recorded: what the recorder saved says why."""
    failure = parse_failure(saved)
    if failure is None:
        return None
    return Refusal(
        "the recorder failed on this script",
        "a whole recording, or none",
        failure.found,
        "the script may be right: do without figure: trace, or mend gradtrace",
    )


def _line(source: str, observed: Observation, *words: str) -> int:
    """The first line with the first of `words` that is there, else where it was stopped, else 1."""
    rows = list(enumerate(source.split("\n"), 1))
    found = next((number for word in words for number, row in rows if word in row), 0)
    return found or observed.line or 1


def _limit_passed(source: str, observed: Observation) -> Refusal | None:
    if seconds := observed.time_limit:
        return Refusal(
            "the script does not end",
            f"an end within {seconds:g} s",
            f"still running after {seconds:g} s; it was stopped",
            "look for a loop that never ends, or make the example smaller",
            _line(source, observed),
        )
    if observed.too_much_output:
        return Refusal(
            "the script prints too much",
            f"at most {OUTPUT_LIMIT // 1024} kB: a reader must be able to see it",
            f"more than {OUTPUT_LIMIT // 1024} kB; it was stopped",
            "print less",
            _line(source, observed, "print("),
        )
    return None


def _vanished(
    source: str, exit_code: int, report: Mapping | None, stderr: bytes, observed: Observation
) -> Refusal | None:
    if report is not None:
        return None
    if exit_code < 0:
        return Refusal(
            "the script was killed by a signal",
            "an ordinary end",
            _signal_name(-exit_code),
            "run it by hand to see where it breaks: python SCRIPT",
            _line(source, observed),
        )
    return Refusal(
        "the script stopped before its end, without an error",
        "the last line is reached and Python shuts down in order",
        f"the process vanished with exit status {exit_code} (os._exit?)\n{_tail(stderr)}".strip(),
        "remove the call that ends the process",
        _line(source, observed, "_exit(", "os.exec"),
    )


def _failed(
    source: str, exit_code: int, report: Mapping, stderr: bytes, observed: Observation
) -> Refusal | None:
    # First: whoever reads nothing but empty lines soon raises, and the reading is the cause.
    if observed.read_stdin:
        return Refusal(
            "the script reads its standard input",
            "a script that needs nobody at the keyboard",
            "standard input was read",
            "write the value into the script",
            _line(source, observed, "input(", "stdin", "os.read(0", "open(0"),
        )
    if error := report.get("error"):
        if error["type"] == "NotRepeatable":
            return Refusal(
                "two runs of the script with the same numbers differ",
                "the same output and the same recording every time",
                error["text"],
                "fix the seed (torch.manual_seed(0)), and undo what the script sets for all of "
                "PyTorch, as torch.set_default_dtype does",
                _line(source, observed),
            )
        missing = error["type"] == "ModuleNotFoundError"
        return Refusal(
            "the script needs a module that is not installed" if missing else RAISES,
            "every module it imports is pinned in requirements.txt" if missing else "no error",
            error["text"],
            "pin the package in requirements.txt and install it, or do without it"
            if missing
            else "mend the script; if the error is the point, catch it and print it",
            error["line"] or _line(source, observed),
        )
    if exit_code:
        return Refusal(
            "the script ends with a failure",
            "exit status 0",
            f"exit status {exit_code}\n{_tail(stderr)}".strip(),
            "mend the script",
            report.get("line") or _line(source, observed, "exit("),
        )
    if stderr.strip():
        place = re.escape(observed.script) + r'(?:", line |:)(\d+)'
        places = re.findall(place, stderr.decode("utf-8", "replace"))
        return Refusal(
            WARNS,
            "nothing there: a warning that the page is about is caught and printed by the script",
            _tail(stderr),
            "catch the warning and print it, or mend its cause",
            int(places[-1]) if places else _line(source, observed, "stderr", "warn"),
        )
    return None


def _left_something(source: str, report: Mapping, observed: Observation) -> Refusal | None:
    if threads := report.get("threads"):
        return Refusal(
            LEAVES_THREAD,
            "every thread is joined",
            ", ".join(threads),
            "join the thread before the script ends",
            _line(source, observed, "Thread(", "Executor(", "Pool(", "start("),
        )
    if observed.processes_left:
        return Refusal(
            "the script leaves a process behind",
            "every process it starts has ended and was waited for",
            "a child process was still running; it was stopped",
            "wait for the process, or do without it",
            _line(source, observed, "Popen(", "Process(", "fork(", "subprocess.", "os.system("),
        )
    if files := observed.files_left:
        lines = [number for _, number in report.get("files", ()) if number]
        return Refusal(
            "the script leaves files behind",
            "no file is left",
            ", ".join(files),
            "do without the file, or write it into a tempfile.TemporaryDirectory()",
            lines[0] if lines else _line(source, observed, "save(", "open(", "write"),
        )
    return None


def _unfit_output(source: str, stdout: bytes, observed: Observation) -> Refusal | None:
    try:
        text = stdout.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return Refusal(
            "the script prints bytes that are not UTF-8",
            "text in UTF-8",
            f"the byte 0x{stdout[error.start]:02x}",
            "print text",
            _line(source, observed, "buffer", "os.write(", "write("),
        )
    if not text.strip():
        return Refusal(
            "the script prints nothing",
            "at least one labelled line",
            "no output",
            "print what the page is about: a run without output proves nothing",
            max(1, len(source.rstrip("\n").split("\n"))),
        )
    odd = next((place for place, sign in enumerate(text) if _is_unseen(sign)), None)
    if odd is not None or text.startswith("\n"):
        return Refusal(
            "the script prints what a page cannot show",
            "no tabs, no control characters, none for private use, none that is invisible or "
            "turns the direction of writing, no empty first line",
            f"the character {text[odd or 0]!a} at position {odd or 0}",
            "print blanks, and begin with a label; ascii(text) makes such characters visible",
            _line(source, observed, "\\t", "\\n", "print("),
        )
    if date := _date_of_today(source, text):
        return Refusal(
            "the script prints the date of today",
            "the same output on every day",
            date,
            "do without the date, or write a fixed one into the script",
            _line(source, observed, "today(", "now(", "time(", "time"),
        )
    places = (observed.script, observed.folder)
    if rows := [row for row in text.split("\n") if any(place in row for place in places)]:
        return Refusal(
            "the script prints a path of this machine",
            "the same output on every machine",
            rows[0],
            "print the message of the error without its traceback, or the name without its folder",
            _line(source, observed, "print_exc", "format_exc", "__file__", "getcwd", "gettempdir"),
        )
    return None


def _is_unseen(sign: str) -> bool:
    """Whether a character is shown otherwise than printed: controls, marks of direction, private
    use. Those that join others (an emoji of two people) are a part of what is seen."""
    unseen = unicodedata.category(sign) in ("Cc", "Cf", "Co", "Zl", "Zp")
    return unseen and sign not in "\n\u200c\u200d"


def _date_of_today(source: str, text: str) -> str | None:
    """The date of today in an output, here or in Greenwich, unless the script holds it itself."""
    for day in {date.today(), datetime.now(UTC).date()}:
        year, month, number = day.year, f"0?{day.month}", f"0?{day.day}"
        names = f"(?:{calendar.month_name[day.month]}|{calendar.month_abbr[day.month]})"
        forms = (
            rf"{year}\D{{1,9}}{month}\D{{1,10}}{number}",
            rf"(?:{month}[./-]{number}|{number}[./-]{month})[./-]{year}",
            rf"{names}\.? +{number}|{number}\.? +{names}\b",
            f"{day:%Y%m%d}",
        )
        found = re.search(rf"(?<!\d)(?:{'|'.join(forms)})(?!\d)", text)
        if found and found[0] not in source:
            return found[0]
    return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _tail(raw: bytes, most: int = 12) -> str:
    rows = raw.decode("utf-8", "replace").rstrip().splitlines()
    return "\n".join((["..."] if len(rows) > most else []) + rows[-most:])
