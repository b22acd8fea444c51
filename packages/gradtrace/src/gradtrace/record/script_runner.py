"""Runs a script in a process of its own that records it. Does not import torch."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gradtrace.record.failure import parse_failure
from gradtrace.trace import Trace, parse_trace

GRACE = 5.0
"""Seconds after which a script that cannot be stopped in order is killed."""


@dataclass(frozen=True)
class RecordedRun:
    """The trace of a run, and how the run ended.

    `end` is "end", "error", "enough" (passes), "limit" or "interrupted"; `line` is the line of the
    script at which it ended, `error` the message that ended it.
    """

    trace: Trace
    end: str
    line: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class FailedRun:
    """Why there is no trace. `why` is "interrupted" (before anything was recorded), "hangs",
    "died", "unrecordable" or "fault" (of the recorder); `found` says more. `file` and `line`: the
    place of a fault in gradtrace."""

    why: str
    found: str
    file: str = ""
    line: int = 1


def run_recorded(
    script: Path, arguments: Sequence[str], limit: float, passes: int
) -> RecordedRun | FailedRun:
    """Run a script and record it, for at most `limit` seconds and until it has gone through
    `passes` backward passes. Its output and input are those of this process."""
    with tempfile.TemporaryDirectory(prefix="gradtrace-") as name:
        folder = Path(name)
        job = {"script": str(script), "arguments": list(arguments), "folder": name}
        job |= {"limit": limit, "passes": passes}
        (folder / "job.json").write_text(json.dumps(job), "utf-8")
        child = Path(__file__).with_name("script_process.py")
        process = subprocess.Popen([sys.executable, str(child), str(folder / "job.json")])
        try:
            ended = _wait(process, folder, limit)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if not (folder / "report").is_file():
            return _without_report(process.returncode, ended, limit)
        recording = (folder / "recording").read_text("utf-8")
        report = json.loads((folder / "report").read_text("utf-8"))
    if failure := parse_failure(recording):
        why = "fault" if failure.file else "unrecordable"
        return FailedRun(why, failure.found, failure.file, failure.line)
    return RecordedRun(parse_trace(recording), **report)


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


def _without_report(code: int, ended: str, limit: float) -> FailedRun:
    if ended == "interrupted":
        return FailedRun("interrupted", "Ctrl-C")
    if ended == "limit":
        return FailedRun("hangs", f"it hung beyond {limit:g} s, and had to be killed")
    return FailedRun("died", f"exit status {code}" if code >= 0 else f"signal {-code}")
