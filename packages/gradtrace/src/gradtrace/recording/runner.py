"""Runs a script in a process of its own that records it. Does not import torch."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from gradtrace.recording.script import parse_failure
from gradtrace.trace import Trace, parse_trace

GRACE = 5.0
"""Seconds after which a script that doesn't stop is killed."""
_INTERVAL = 0.05
"""Seconds between two checks of the script's progress."""


@dataclass(frozen=True)
class Job:
    """A job: a `script` (its absolute path; `name`: as it was typed, which becomes its
    `sys.argv[0]`), or a `module`, as in `python -m`.

    Recording ends after this number of backward `passes`; then the script continues, or ends, if
    `stop`. After `limit` seconds it is stopped in any case. Recording begins with the first of
    `steps` of an optimizer, and ends after the last, if given; or it begins at the event named by
    `until`: "nan", "inf" or "zero-grad"; with "error", the last steps are retained if the script
    fails. `outlines`: after many events go on with the gradients of leaves alone. `source`: text
    to run in place of the script's.
    """

    script: str = ""
    module: str = ""
    arguments: Sequence[str] = ()
    passes: int | None = 10
    steps: tuple[int, int | None] | None = None
    until: str | None = None
    stop: bool = False
    limit: float | None = None
    outlines: bool = False
    name: str = ""
    source: str | None = None


@dataclass(frozen=True)
class RecordedRun:
    """The trace of a run, and how the recording ended.

    `end` is "end", "exit" (`sys.exit` with a status that isn't 0), "error", "enough" (passes),
    "limit", "interrupted", "terminated" (SIGTERM) or "left" (`os._exit`); `line` is the line of the
    script at which it ended, `error` the message that ended it, `script` the file that was run;
    `began`: where in the script, if not at its start; `children`: how many processes it made with
    multiprocessing.
    """

    trace: Trace
    end: str
    line: int | None = None
    error: str | None = None
    script: str = ""
    began: Began | None = None
    children: int = 0


@dataclass(frozen=True)
class Began:
    """The number of optimizer `steps` and of backward `passes` before the recording began. `found`:
    "step", "start" (a pass starts from a bad number), "grad" (one is in a gradient after a pass),
    "zero" (a gradient at a step), "recent" (only the last steps were retained); `of`: the name of
    the parameter."""

    found: str
    steps: int
    passes: int
    of: str = ""


@dataclass(frozen=True)
class UnbegunRun:
    """The event at which recording should begin did not happen in this number of steps and backward
    passes. `end` and `error`: as in a recorded run."""

    end: str
    steps: int
    passes: int
    error: str | None = None


@dataclass(frozen=True)
class FailedRun:
    """Why there is no trace. `why` is "interrupted" (before anything was recorded), "hangs",
    "died" (before the script began), "crashed", "no module", "unrecordable" or "fault" (of the
    recorder); `found`: details. `file` and `line`: the place of a fault in gradtrace."""

    why: str
    found: str
    file: str = ""
    line: int = 1


class ScriptProcess:
    """`with ScriptProcess(job) as process:` runs a script, with the output and the input of this
    process. Ctrl-C goes to the script, which saves its recording; a second one kills it. `stdout`:
    where the script prints instead."""

    def __init__(self, job: Job, stdout: TextIO | None = None) -> None:
        self._job, self._stdout = job, stdout
        self._interrupted = False

    def __enter__(self) -> ScriptProcess:
        self._temporary = tempfile.TemporaryDirectory(prefix="gradtrace-")
        self._folder = Path(self._temporary.name)
        job = vars(self._job) | {"folder": self._temporary.name}
        (self._folder / "job.json").write_text(json.dumps(job), "utf-8")
        child = Path(__file__).with_name("process.py")
        command = [sys.executable, str(child), str(self._folder / "job.json")]
        self._process = subprocess.Popen(command, stdout=self._stdout)
        self._before = signal.signal(signal.SIGTERM, self._terminate)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._temporary.cleanup()

    def _terminate(self, *_: object) -> None:
        """A signal to the command is meant for the script; after its end, for the command, which a
        doctor ends by itself: torchrun ends all ranks if one fails."""
        if self._process.poll() is None:
            self._process.terminate()
        elif not self._job.stop:
            sys.exit(128 + signal.SIGTERM)

    def recorded(self) -> RecordedRun | UnbegunRun | FailedRun:
        """The recording, as soon as it is saved; the script may go on."""
        report = self._folder / "report"
        ended = self._wait(report)
        if not report.is_file():
            code, limit = self._process.returncode, self._job.limit
            if ended == "interrupted":
                return FailedRun("interrupted", "Ctrl-C")
            if ended == "limit" or code is None:
                return FailedRun("hangs", f"it hung beyond {limit:g} s, and had to be killed")
            why = "crashed" if (self._folder / "started").exists() else "died"
            signals = {each: each.name for each in signal.Signals}
            died = signals.get(-code, f"exit status {code}") + self._place_of_crash()
            return FailedRun(why, died)
        found = json.loads(report.read_text("utf-8"))
        if found["end"] == "no module":
            return FailedRun("no module", found["error"])
        if (made := found.get("never")) is not None:
            return UnbegunRun(found["end"], **made, error=found.get("error"))
        recording = (self._folder / "recording").read_text("utf-8")
        if failure := parse_failure(recording):
            why = "fault" if failure.file else "unrecordable"
            return FailedRun(why, failure.found, failure.file, failure.line)
        began = Began(**found.pop("began")) if "began" in found else None
        return RecordedRun(parse_trace(recording), **found, began=began)

    def _place_of_crash(self) -> str:
        crash = self._folder / "crash"
        stack = crash.read_text("utf-8", "replace") if crash.exists() else ""
        place = re.search(f'File "{re.escape(self._job.script)}", line ([0-9]+)', stack)
        return f" at line {place[1]}" if place else ""

    def wait(self) -> int:
        """Wait for the end of the script; returns its exit status, as in a shell."""
        self._wait(None)
        code = self._process.poll()
        if code is None:
            self._process.kill()
            code = 1
        return code if code >= 0 else 128 - code

    def later_error(self) -> str | None:
        """The error that ended the script after the recording, if any."""
        file = self._folder / "end"
        return json.loads(file.read_text("utf-8")).get("error") if file.is_file() else None

    def _wait(self, report: Path | None) -> str:
        """Wait for the report, if one is given, and otherwise for the end of the script.

        Returns "ended", "limit" or "interrupted": the last two if the script had to be given up.
        """
        until, started = None, self._folder / "started"
        while self._process.poll() is None and not (report and report.exists()):
            try:
                if until is None and self._job.limit is not None and started.exists():
                    until = time.monotonic() + self._job.limit + GRACE
                if until is not None and time.monotonic() > until:
                    return "interrupted" if self._interrupted else "limit"
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_INTERVAL)
            except KeyboardInterrupt:
                if self._interrupted:
                    return "interrupted"
                self._interrupted = True
                until = time.monotonic() + GRACE
        return "interrupted" if self._interrupted else "ended"
