"""One run of one script, observed from outside: its process, its folder, its limits, its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proofbook.model.problem import not_utf8
from proofbook.run.judge import OUTPUT_LIMIT, Observation, Refusal, Result, refusal_of

MARGIN = 0.25
"""Seconds between a run's own alarm, which notes its current line, and the time it is stopped."""

FONTS = "matplotlib"
"""The folder next to those of the runs with Matplotlib's font cache, shared by all of them."""


class Fork:
    """A forked process, as far as it is like a `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid, self._code = pid, None

    def poll(self) -> int | None:
        """Its exit status once it has ended, None before; negative for a signal."""
        if self._code is None:
            ended, code = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(code) if ended else None
        return self._code


def make_folder(within: str) -> Path:
    """A temporary folder for one run: its streams, and the working directory `work`."""
    folder = Path(tempfile.mkdtemp(dir=within)).resolve()
    (folder / "work").mkdir()
    (folder / "stdin").write_bytes(b"\n" * 8)
    (folder / "stdout").touch()
    (folder / "stderr").touch()
    return folder


@dataclass
class SupervisedRun:
    """A run that was started; `poll` is called until it returns the result."""

    request: Mapping
    folder: Path
    process: Fork | subprocess.Popen
    started: float = field(default_factory=time.monotonic)
    _time_limit: float | None = None
    _too_much_output: bool = False

    def poll(self) -> Result | None:
        """The result, once there is one; stops a run that exceeds a limit."""
        code = self.process.poll()
        if self._printed() > OUTPUT_LIMIT:
            self._too_much_output = True
        elif code is None and time.monotonic() - self.started > self.request["limit"] + MARGIN:
            self._time_limit = self.request["limit"]
        if code is not None or self._too_much_output or self._time_limit:
            self.kill()
        return None if code is None else self._result(code)

    def kill(self) -> None:
        """Kill the script and the processes that it started; on Linux, those that have left its
        group become children of the server."""
        if hasattr(os, "killpg"):
            for send in (os.killpg, os.kill) if self.process.poll() is None else (os.killpg,):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    send(self.process.pid, signal.SIGKILL)
        elif self.process.poll() is None:
            command = ["taskkill", "/T", "/F", "/PID", str(self.process.pid)]
            subprocess.run(command, capture_output=True)

    def _result(self, code: int) -> Result:
        script, seconds = self.request["script"], time.monotonic() - self.started
        report = None
        with contextlib.suppress(OSError, ValueError):  # it did not get to its end
            report = json.loads((self.folder / "report").read_text("utf-8"))
        source = recording = ""
        with contextlib.suppress(OSError):  # the script may be gone by now
            source = Path(script).read_text("utf-8", "replace")
        with contextlib.suppress(OSError):  # there was no recorder
            recording = (self.folder / "recording").read_text("utf-8")
        seen = Observation(
            script,
            str(self.folder),
            source,
            code,
            report,
            self._start_of("stdout"),
            self._start_of("stderr"),
            self._time_limit,
            self._too_much_output,
            self._files_left(report["files"]) if report else (),
            self._noted_line(),
            recording,
        )
        refusal = refusal_of(seen)
        shutil.rmtree(self.folder, ignore_errors=True)
        text = seen.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        figures, variants = (report["figures"], report["variants"]) if report else ((), [])
        variants = variants if self.request["variants"] else None
        return Result(script, text, seconds, refusal, recording or None, figures, variants)

    def _printed(self) -> int:
        """The size of the output so far, in bytes: the longer of its two streams."""
        return max((self.folder / name).stat().st_size for name in ("stdout", "stderr"))

    def _start_of(self, stream: str) -> bytes:
        """The output to a stream, up to the allowed size: a flood is not read from the disk."""
        with (self.folder / stream).open("rb") as file:
            return file.read(OUTPUT_LIMIT + 1)

    def _files_left(self, written: list[tuple[str, int]]) -> list[str]:
        """The files that the script left in its working directory, and any `written` elsewhere."""
        others = (str(self.folder / "work") + os.sep, str(self.folder.parent / FONTS))
        names = []
        with contextlib.suppress(OSError):  # the script may have removed its own folder
            names += sorted(os.listdir(self.folder / "work"))
        return names + [path for path, _ in written if not path.startswith(others)]

    def _noted_line(self) -> int | None:
        """The line at which the script was stopped or crashed, from the notes of faulthandler."""
        try:
            notes = (self.folder / "stopped").read_text("utf-8", "replace")
        except OSError:
            return None
        rows = re.findall(r'File "(.*)", line (\d+)', notes)
        # As faulthandler writes it.
        name = self.request["script"].encode("ascii", "backslashreplace").decode()
        return next((int(line) for file, line in rows if file == name), None)


def cannot_run(script: str, error: OSError | UnicodeDecodeError) -> Result:
    """The result for a script that cannot be read, or for which there is no room on the disk."""
    if isinstance(error, UnicodeDecodeError):
        wrong = not_utf8(script, error)
        found = Refusal(wrong.what, wrong.expected, wrong.found, wrong.fix, wrong.line)
    else:
        what, expected = "the script cannot be run", "a script, and a temporary folder to run it in"
        fix = "correct its name or its rights, or make room on the disk (TMPDIR)"
        found = Refusal(what, expected, str(error), fix)
    return Result(script, "", 0.0, found)
