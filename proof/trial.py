"""One run of one script, seen from outside: its folder, its limits, its end."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from proof.result import OUTPUT_LIMIT, Refusal, Result, judge

GRACE = 0.5
"""Seconds that helpers of the script (a resource tracker, say) get to end after it has ended."""


class Folder:
    """A temporary folder with everything that belongs to one run: its streams, its working directory, its report."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="proof-"))
        self.work, self.temp = self.path / "work", self.path / "temp"
        self.work.mkdir()
        self.temp.mkdir()
        self.report = self.path / "report.json"
        # Ordinary files, not pipes: a process that was left behind cannot hold them open, and how far
        # standard input was read can be seen from its position, whoever read it.
        self.stdin = os.open(self.path / "stdin", os.O_RDWR | os.O_CREAT)
        os.write(self.stdin, b"\n" * 8)
        os.lseek(self.stdin, 0, os.SEEK_SET)
        self.stdout = os.open(self.path / "stdout", os.O_RDWR | os.O_CREAT | os.O_APPEND)
        self.stderr = os.open(self.path / "stderr", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def environment(self) -> dict[str, str]:
        """The variables that keep a script's own files inside this folder."""
        temp = str(self.temp)
        return {"TMPDIR": temp, "TEMP": temp, "TMP": temp, "HOME": temp}

    def printed(self) -> int:
        """How much the script has printed so far, in bytes."""
        return max(os.fstat(self.stdout).st_size, os.fstat(self.stderr).st_size)

    def left(self) -> list[str]:
        """The files that the script left in its own folders."""
        return sorted(
            p.relative_to(home).as_posix() for home in (self.work, self.temp) for p in home.iterdir()
        )

    def remove(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            os.close(stream)
        shutil.rmtree(self.path, ignore_errors=True)


@dataclass
class Trial:
    """A run that was started.

    `ended()` gives the exit status once the script itself has ended (None before), negative for a
    signal; `others()` tells whether processes that it started still live; `kill()` ends them all.
    """

    script: str
    limit: float
    folder: Folder
    pid: int
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
                self._over.setdefault("bytes", self.folder.printed())
            # A little later than the run's own alarm, which notes where it stands.
            if now - self.started > self.limit + 0.1:
                self._over.setdefault("seconds", self.limit)
            if self._over:
                self.kill()
            self._code, self._end = self.ended(), now
            if self._code is None:
                return None
        if self.others():
            if now - self._end < GRACE:
                return None
            self._over["processes"] = True
        self.kill()
        return self._result()

    def _result(self) -> Result:
        folder, over = self.folder, self._over
        if folder.printed() > OUTPUT_LIMIT:
            over["bytes"] = folder.printed()
        over["stdin"] = os.lseek(folder.stdin, 0, os.SEEK_CUR) > 0
        over["files"] = folder.left()
        trace = Path(f"{folder.report}.trace")
        if trace.exists():
            rows = re.findall(r'File "(.*)", line (\d+)', trace.read_text(errors="replace"))
            over["line"] = next((int(line) for file, line in rows if file == self.script), None)
        report = json.loads(folder.report.read_text("utf-8")) if folder.report.exists() else None
        out, err = (
            (folder.path / name).read_bytes()[: OUTPUT_LIMIT + 1] for name in ("stdout", "stderr")
        )
        source = Path(self.script).read_text("utf-8", "replace")
        refusal = judge(source, self._code, report, out, err, over)
        folder.remove()
        text = out.decode("utf-8", "replace").replace("\r\n", "\n")
        return Result(self.script, text, self._end - self.started, refusal)


def unreadable(script: str) -> Result | None:
    """The result for a script that need not be run: it is missing or not UTF-8."""
    try:
        Path(script).read_bytes().decode("utf-8")
    except FileNotFoundError:
        found = Refusal("the script does not exist", "a file", "none", "write it, or correct its name")
    except UnicodeDecodeError as error:
        found = Refusal(
            "the script is not UTF-8",
            "text in UTF-8",
            f"the byte 0x{error.object[error.start]:02x} at position {error.start}",
            "save the file in your editor with the encoding UTF-8",
            error.object[: error.start].count(b"\n") + 1,
        )
    else:
        return None
    return Result(script, "", 0.0, found)
