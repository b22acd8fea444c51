"""One run of one script, seen from outside: its folder, its limits, its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from proofbook.run.result import OUTPUT_LIMIT, Refusal, Result, judge, judge_recording

GRACE = 1.0
"""Seconds that helpers of the script (a resource tracker, say) get to end after it has ended."""

LATER = 0.25
"""Seconds by which we stop a run later than its own alarm, which notes where it stands."""


class Folder:
    """A temporary folder for one run: its streams, its working directory, its report."""

    def __init__(self, within: str | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="proof-", dir=within)).resolve()
        self.work = self.path / "work"
        self.work.mkdir()
        self.report = self.path / "report.json"
        # Ordinary files, not pipes: a process that was left behind cannot hold them open, and how
        # far standard input was read can be seen from its position, whoever read it.
        self.stdin = os.open(self.path / "stdin", os.O_RDWR | os.O_CREAT)
        os.write(self.stdin, b"\n" * 8)
        os.lseek(self.stdin, 0, os.SEEK_SET)
        self.stdout = os.open(self.path / "stdout", os.O_RDWR | os.O_CREAT | os.O_APPEND)
        self.stderr = os.open(self.path / "stderr", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def environment(self) -> dict[str, str]:
        """The variables that keep a script's own files inside its working directory."""
        work = str(self.work)
        return {"TMPDIR": work, "TEMP": work, "TMP": work, "HOME": work}

    def printed(self) -> int:
        """How much the script has printed so far, in bytes."""
        return max(os.fstat(self.stdout).st_size, os.fstat(self.stderr).st_size)

    def start_of(self, stream: int) -> bytes:
        """What stands in a stream, as far as it may count: a flood stays on the disk."""
        os.lseek(stream, 0, os.SEEK_SET)
        return os.read(stream, OUTPUT_LIMIT + 1)

    def recorded(self) -> str | None:
        """What the recorder of the run has saved, if there was one."""
        try:
            return Path(f"{self.report}.recording").read_text("utf-8")
        except OSError:
            return None

    def told(self) -> dict | None:
        """The report of the run; None if it left none that can be read."""
        try:
            return json.loads(self.report.read_text("utf-8"))
        except (OSError, ValueError):
            return None

    def left(self, written: list[str]) -> list[str]:
        """The files that the script left: where it worked, and any of `written` elsewhere."""
        names = []
        with contextlib.suppress(OSError):  # the script may have removed its own folder
            names += sorted(os.listdir(self.work))
        return names + [path for path in written if not path.startswith(f"{self.work}{os.sep}")]

    def remove(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            os.close(stream)
        shutil.rmtree(self.path, ignore_errors=True)


@dataclass
class Trial:
    """A run that was started.

    `ended()` gives the exit status once the script itself has ended (None before), negative for a
    signal; `others()` tells whether processes that it started still live; `kill()` ends them all.
    `wakes` is a descriptor that is readable once the script has ended, where there is one.
    """

    script: str
    limit: float
    folder: Folder
    ended: Callable[[], int | None]
    others: Callable[[], bool]
    kill: Callable[[], None]
    wakes: int | None = None
    started: float = field(default_factory=time.monotonic)
    _code: int | None = None
    _end: float = 0.0
    _over: dict = field(default_factory=dict)

    def poll(self) -> Result | None:
        """The result, once there is one."""
        now = time.monotonic()
        if self._code is None:
            if self.folder.printed() > OUTPUT_LIMIT:
                self._over["bytes"] = True
            elif now - self.started > self.limit + LATER:
                self._over["seconds"] = self.limit
            if self._over:
                self.kill()
            self._code, self._end = self.ended(), now
            if self._code is None:
                return None
            self.close_wakes()
        if self.others():
            if now - self._end < GRACE:
                return None
            self._over["processes"] = True
        self.kill()
        return self._result()

    def close_wakes(self) -> None:
        if self.wakes is not None:
            os.close(self.wakes)
            self.wakes = None

    def _result(self) -> Result:
        folder, over = self.folder, self._over
        if folder.printed() > OUTPUT_LIMIT:
            over["bytes"] = True
        over["stdin"] = os.lseek(folder.stdin, 0, os.SEEK_CUR) > 0
        report = folder.told()
        over["files"] = folder.left([path for path, _ in report["files"]] if report else [])
        over["line"] = _noted_line(Path(f"{folder.report}.trace"), self.script)
        over["script"], over["folder"] = self.script, str(folder.path)
        out, err = folder.start_of(folder.stdout), folder.start_of(folder.stderr)
        source = ""
        with contextlib.suppress(OSError):  # it may be gone by now
            source = Path(self.script).read_text("utf-8", "replace")
        refusal = judge(source, self._code, report, out, err, over)
        trace = folder.recorded()
        if refusal is None and trace is not None:
            refusal = judge_recording(trace)
        folder.remove()
        text = out.decode("utf-8", "replace").replace("\r\n", "\n")
        figures = report.get("figures", ()) if report else ()
        return Result(self.script, text, self._end - self.started, refusal, trace, figures)


def _noted_line(trace: Path, script: str) -> int | None:
    """Where the script stood when it was stopped or crashed, from what faulthandler has noted."""
    try:
        rows = re.findall(r'File "(.*)", line (\d+)', trace.read_text("utf-8", "replace"))
    except OSError:
        return None
    name = script.encode("ascii", "backslashreplace").decode()  # as faulthandler writes it
    return next((int(line) for file, line in rows if file == name), None)


def unreadable(script: str) -> Result | None:
    """The result for a script that need not be run: it cannot be read, or is not UTF-8."""
    try:
        Path(script).read_bytes().decode("utf-8")
    except FileNotFoundError:
        found = Refusal(
            "the script does not exist", "a file", "none", "write it, or correct its name"
        )
    except OSError as error:
        found = Refusal(
            "the script cannot be read", "a file that can be read", str(error), "see to its rights"
        )
    except UnicodeDecodeError as error:
        found = Refusal(
            "the file is not UTF-8",
            "text in UTF-8",
            f"the byte 0x{error.object[error.start]:02x} at position {error.start}: {error.reason}",
            "save the file in your editor with the encoding UTF-8",
            error.object[: error.start].count(b"\n") + 1,
        )
    else:
        return None
    return Result(script, "", 0.0, found)
