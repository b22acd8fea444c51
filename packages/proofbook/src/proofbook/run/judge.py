"""The result of one run of one script, or the reason why it does not count."""

from __future__ import annotations

import re
import signal
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradtrace.recording.script import parse_failure

from proofbook.model.problem import Problem

Variant = tuple[str, str]
"""A text for a script, after its label: "w = -2.0"."""

OUTPUT_LIMIT = 64 * 1024
"""The maximum output of a snippet in bytes: a page could not show more."""


@dataclass(frozen=True)
class Refusal:
    """Why a run does not count; `line` is the line of the script, from 1.

    `engine`: the file of gradtrace that contains the line instead, if the recorder failed.
    """

    what: str
    expected: str
    found: str
    fix: str
    line: int = 1
    engine: str = ""


@dataclass(frozen=True)
class Result:
    """The output of one run of one script, or why it is refused; `seconds` is wall-clock time.

    `trace` is the text of its recording, if requested; `figures` are its Matplotlib figures, as
    SVG. `variants`: if the script was run with other numbers, the output of each run, and its
    recording or, if none was requested, its only figure; `stdout` is then the first one's.
    Otherwise None.
    """

    path: str
    stdout: str
    seconds: float
    refusal: Refusal | None = None
    trace: str | None = None
    figures: Sequence[str] = ()
    variants: Sequence[tuple[str, str]] | None = None


RAISES, WARNS = "the script raises", "the script prints to standard error"
LEAVES_THREAD = "the script leaves a thread behind"
NEEDS_TORCH = "a figure of this script needs PyTorch"
"""Reasons used by other modules: a reader would still see such a run, with its error or warning."""


@dataclass(frozen=True)
class Observation:
    """The supervisor's final observation of a run from outside.

    `source`: the script's; `folder`: the path of the run's folder; `report`: the run's report at
    its very end, None if it did not get there; `time_limit`: the allowed seconds, if it took
    longer; `line`: where the script was stopped or crashed, if known.
    """

    script: str
    folder: str
    source: str = ""
    exit_code: int = 0
    report: Mapping | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    time_limit: float | None = None
    too_much_output: bool = False
    files_left: Sequence[str] = ()
    line: int | None = None
    recording: str = ""

    def at(self, *words: str) -> int:
        """The first line with the first of `words` that occurs, else where it stopped, else 1."""
        rows = list(enumerate(self.source.split("\n"), 1))
        found = next((number for word in words for number, row in rows if word in row), 0)
        return found or self.line or 1


def refusal_of(seen: Observation) -> Refusal | None:
    """Why a finished run does not count; None if it counts."""
    reasons = (
        *(_fault_of_recorder, _limit_passed, _vanished, _failed),
        *(_left_something, _unfit_output, _unrecordable),
    )
    return next((refusal for reason in reasons if (refusal := reason(seen))), None)


def refused(
    script: str, result: Result, pages: tuple[str, ...] = (), only_recorded: bool = False
) -> Problem:
    """A refused run, as a problem of its script, or of the recorder, common to all scripts.

    `only_recorded`: the script ran well without the recorder, so that it is not at fault.
    """
    why = result.refusal
    what, fix = why.what, why.fix.replace("SCRIPT", script)
    if result.variants is not None and not why.engine:
        what = f"{what}, with another number in it"
        fix = "take other values on the page (vary:), or fix the script"
    elif only_recorded and not why.engine and what != NEEDS_TORCH:
        what = f"{what}, but only while it is recorded"
        fix = "the script is right without the recorder: fix gradtrace, or do without the figure"
    if "python" not in fix:
        fix += f"; then: proofbook check {script}"
    return Problem(why.engine or script, why.line, what, why.expected, why.found, fix, pages)


def _fault_of_recorder(seen: Observation) -> Refusal | None:
    """The recorder has failed, independently of the script: its saved message has the place."""
    failure = parse_failure(seen.recording)
    if failure is None or not failure.file:
        return None
    if "No module named 'torch'" in failure.found:
        fix = "python -m pip install torch, or do without figure: trace"
        return Refusal(NEEDS_TORCH, "an installed PyTorch", "none", fix)
    what = "the recorder of gradtrace failed, and not the snippets"
    fix = (
        "the snippets are right: fix gradtrace, or go back to the PyTorch that it knows: "
        "python -m pip install -r requirements.txt"
    )
    expected = "a recorder that knows the installed PyTorch"
    return Refusal(what, expected, failure.found, fix, failure.line, failure.file)


def _unrecordable(seen: Observation) -> Refusal | None:
    """The script is of a kind that cannot be recorded: the recorder's saved message says why."""
    failure = parse_failure(seen.recording)
    if failure is None:
        return None
    fix = "the script may be right: do without figure: trace, or fix gradtrace"
    what, expected = "the recorder failed on this script", "a whole recording, or none"
    return Refusal(what, expected, failure.found, fix)


def _limit_passed(seen: Observation) -> Refusal | None:
    if seconds := seen.time_limit:
        return Refusal(
            "the script does not end",
            f"an end within {seconds:g} s",
            f"still running after {seconds:g} s; it was stopped",
            "look for a loop that never ends, or make the example smaller",
            seen.at(),
        )
    if seen.too_much_output:
        return Refusal(
            "the script prints too much",
            f"at most {OUTPUT_LIMIT // 1024} kB: a reader must be able to see it",
            f"more than {OUTPUT_LIMIT // 1024} kB; it was stopped",
            "print less",
            seen.at("print("),
        )
    return None


def _vanished(seen: Observation) -> Refusal | None:
    if seen.report is not None:
        return None
    if seen.exit_code < 0:
        return Refusal(
            "the script was killed by a signal",
            "an ordinary end",
            _signal_name(-seen.exit_code),
            "run it by hand to see where it breaks: python SCRIPT",
            seen.at(),
        )
    return Refusal(
        "the script stopped before its end, without an error",
        "the last line is reached and Python shuts down in order",
        f"the process vanished with exit status {seen.exit_code} (os._exit?)\n"
        f"{_tail(seen.stderr)}".strip(),
        "remove the call that ends the process",
        seen.at("_exit(", "os.exec"),
    )


def _failed(seen: Observation) -> Refusal | None:
    # First: a script that reads only empty lines soon raises, and the reading is the cause.
    if seen.report["read"]:
        return Refusal(
            "the script reads its standard input",
            "a script that needs nobody at the keyboard",
            "standard input was read",
            "write the value into the script",
            seen.at("input(", "stdin", "os.read(0", "open(0"),
        )
    if error := seen.report["error"]:
        missing = error["type"] == "ModuleNotFoundError"
        name = re.search(r"No module named '(\w+)", error["text"]) if missing else None
        if name and Path(seen.script).with_name(f"{name[1]}.py").exists():
            return Refusal(
                "the script imports another snippet",
                "a whole script: a reader copies it, and it alone",
                error["text"],
                f"write into SCRIPT what it needs of {name[1]}.py",
                error["line"] or seen.at(),
            )
        return Refusal(
            "the script needs a module that is not installed" if missing else RAISES,
            "every module that it imports, installed" if missing else "no error",
            error["text"],
            "install its package (and pin it, in requirements.txt), or do without it"
            if missing
            else "fix the script; if the error is the point, catch it and print it",
            error["line"] or seen.at(),
        )
    if seen.exit_code:
        return Refusal(
            "the script ends with a failure",
            "exit status 0",
            f"exit status {seen.exit_code}\n{_tail(seen.stderr)}".strip(),
            "fix the script",
            seen.report["line"] or seen.at("exit("),
        )
    if seen.stderr.strip():
        place = re.escape(seen.script) + r'(?:", line |:)(\d+)'
        places = re.findall(place, seen.stderr.decode("utf-8", "replace"))
        return Refusal(
            WARNS,
            "nothing there: a warning that the page is about is caught and printed by the script",
            _tail(seen.stderr),
            _quiet(seen),
            int(places[-1]) if places else seen.at("stderr", "warn"),
        )
    return None


def _quiet(seen: Observation) -> str:
    """What keeps standard error empty: that depends on what writes to it."""
    if b"\r" in seen.stderr or re.search(rb"\d+%\|", seen.stderr):
        return "leave out the progress bar (tqdm: disable=True), and print what the page is about"
    if "logging" in seen.source:
        return "print it, or log to standard output: logging.basicConfig(stream=sys.stdout)"
    if "stderr" in seen.source:
        return "print to standard output"
    return "catch the warning and print it, or fix its cause"


def _left_something(seen: Observation) -> Refusal | None:
    if threads := seen.report["threads"]:
        return Refusal(
            LEAVES_THREAD,
            "every thread is joined",
            ", ".join(threads),
            "join the thread before the script ends",
            seen.at("Thread(", "Executor(", "Pool(", "start("),
        )
    if seen.report["processes"]:
        return Refusal(
            "the script leaves a process behind",
            "every process it starts has ended and was waited for",
            "a child process was still running; it was stopped",
            "wait for the process, or do without it",
            seen.at("Popen(", "Process(", "fork(", "subprocess.", "os.system("),
        )
    if files := seen.files_left:
        lines = [number for _, number in seen.report["files"] if number]
        return Refusal(
            "the script leaves files behind",
            "no file is left",
            ", ".join(files),
            "do without the file, or write it into a tempfile.TemporaryDirectory()",
            lines[0] if lines else seen.at("save(", "open(", "write"),
        )
    return None


def _unfit_output(seen: Observation) -> Refusal | None:
    text = seen.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    if not text.strip():
        return Refusal(
            "the script prints nothing",
            "at least one labelled line",
            "no output",
            "print what the page is about: a run without output proves nothing",
            max(1, len(seen.source.rstrip("\n").split("\n"))),
        )
    odd = next((place for place, sign in enumerate(text) if _is_unseen(sign)), None)
    if odd is not None or text.startswith("\n"):
        return Refusal(
            "the script prints what a page cannot show",
            "no tabs, no control characters, none for private use, none that is invisible or "
            "turns the direction of writing, no empty first line",
            f"the character {text[odd or 0]!a} at position {odd or 0}",
            "print blanks, and begin with a label; ascii(text) makes such characters visible",
            seen.at("\\t", "\\n", "print("),
        )
    places = (seen.script, seen.folder)
    if rows := [row for row in text.split("\n") if any(place in row for place in places)]:
        return Refusal(
            "the script prints a path of this machine",
            "the same output on every machine",
            rows[0],
            "print the message of the error without its traceback, or the name without its folder",
            seen.at("print_exc", "format_exc", "__file__", "getcwd", "gettempdir"),
        )
    return None


def _is_unseen(sign: str) -> bool:
    """Whether a character is displayed differently than printed: controls, marks of direction,
    private use. Joiners (as in an emoji of two people) count as visible."""
    unseen = unicodedata.category(sign) in ("Cc", "Cf", "Co", "Zl", "Zp")
    return unseen and sign not in "\n\u200c\u200d"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _tail(raw: bytes, most: int = 12) -> str:
    rows = raw.decode("utf-8", "replace").rstrip().splitlines()
    return "\n".join((["..."] if len(rows) > most else []) + rows[-most:])
