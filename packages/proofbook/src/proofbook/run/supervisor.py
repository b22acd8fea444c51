"""One run of one script, observed from outside: its processes, its folder, its limits, its end."""

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
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from proofbook.model.problem import not_utf8
from proofbook.run.judge import (
    OUTPUT_LIMIT,
    Observation,
    Refusal,
    Result,
    fault_of_recorder,
    refusal_of,
    unrecordable,
)


@dataclass(frozen=True)
class ProcessGroup:
    """The process `pid` of a script, the leader of its group, and all processes that it started.

    `exit_code()` returns the exit status of `pid` once it has ended, None before. Processes started
    by the script share its process group, unless they left it. If one did, and its parent is gone,
    the server is its parent (on Linux) and identifies it by its `file_limit`: the limit of file
    size differs for each script, and child processes inherit it.
    """

    pid: int
    file_limit: int
    exit_code: Callable[[], int | None]

    def others_alive(self) -> bool:
        """Whether processes that the script started are still alive."""
        return bool(self._orphans()) or _signal(os.killpg, self.pid, 0)

    def kill(self) -> None:
        """Kill the script and all processes that it started; waits up to a second until they are
        gone."""
        until = time.monotonic() + 1
        while (self.exit_code() is None or self.others_alive()) and time.monotonic() < until:
            if self.exit_code() is None:
                _signal(os.kill, self.pid, signal.SIGKILL)
            _signal(os.killpg, self.pid, signal.SIGKILL)
            for orphan in self._orphans():
                _signal(os.kill, orphan, signal.SIGKILL)
            time.sleep(0.001)

    def _orphans(self) -> list[int]:
        while True:
            orphans = [
                pid
                for pid in _child_processes()
                if pid != self.pid and _file_limit(pid) == self.file_limit
            ]
            # Where one has ended, its own children are ours now: check again.
            if not [pid for pid in orphans if _reaped(pid)]:
                return orphans


@dataclass(frozen=True)
class ProcessTree:
    """The same on Windows, where processes whose parent has ended cannot be found."""

    process: subprocess.Popen

    def others_alive(self) -> bool:
        """Always False: it cannot be known."""
        return False

    def kill(self) -> None:
        """Kill the script and the processes that it started."""
        if self.process.poll() is None:
            command = ["taskkill", "/T", "/F", "/PID", str(self.process.pid)]
            subprocess.run(command, capture_output=True)


def _child_processes() -> list[int]:
    """The child processes of this one, if the system lists them."""
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return [int(pid) for pid in text.split()]
    except OSError:
        return []


def _file_limit(pid: int) -> int | None:
    import resource

    try:
        return resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
    except OSError:
        return None


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _signal(send: Callable[[int, int], None], to: int, number: int) -> bool:
    """Send a signal to a process or a group; returns whether it existed."""
    try:
        send(to, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


GRACE = 1.0
"""Seconds that helpers of the script (such as a resource tracker) have to end after it."""

MARGIN = 0.25
"""Seconds between a run's own alarm, which notes its current line, and the time it is stopped."""

_STREAM = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
"""The mode in which the files of the streams are opened: on Windows not as text, which Ctrl-Z would
end."""


class RunFolder:
    """A temporary folder for one run: its streams, its working directory, its report."""

    def __init__(self, within: str | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="proofbook-", dir=within)).resolve()
        self.work = self.path / "work"
        self.work.mkdir()
        self.report = self.path / "report.json"
        # Ordinary files, not pipes: a remaining process cannot hold them open, and how
        # far standard input was read can be seen from its position, whichever process read it.
        self.stdin = os.open(self.path / "stdin", _STREAM)
        os.write(self.stdin, b"\n" * 8)
        os.lseek(self.stdin, 0, os.SEEK_SET)
        self.stdout = os.open(self.path / "stdout", _STREAM | os.O_APPEND)
        self.stderr = os.open(self.path / "stderr", _STREAM | os.O_APPEND)

    def environment(self) -> dict[str, str]:
        """The variables that confine a script's own files to its working directory."""
        work = str(self.work)
        return {"TMPDIR": work, "TEMP": work, "TMP": work, "HOME": work}

    @property
    def fonts(self) -> Path:
        """Matplotlib's font cache for the machine, shared by all runs."""
        return self.path.parent / "matplotlib"

    def printed(self) -> int:
        """The size of the output so far, in bytes: the longer of its two streams."""
        return max(os.fstat(self.stdout).st_size, os.fstat(self.stderr).st_size)

    def start_of(self, stream: int) -> bytes:
        """The output to a stream, up to the allowed size: a flood is not read from the disk."""
        os.lseek(stream, 0, os.SEEK_SET)
        return os.read(stream, OUTPUT_LIMIT + 1)

    def recording(self) -> str | None:
        """The recorder's saved data, if there was a recorder."""
        try:
            return Path(f"{self.report}.recording").read_text("utf-8")
        except OSError:
            return None

    def variants(self) -> list[tuple[str, str]]:
        """The results of the script's variants; none if one failed."""
        try:
            text = Path(f"{self.report}.variants").read_text("utf-8")
        except OSError:
            return []
        return [(printed, recording) for printed, recording in json.loads(text)]

    def read_report(self) -> dict | None:
        """The run's report at its end (see `child`); None if it left no report."""
        try:
            return json.loads(self.report.read_text("utf-8"))
        except (OSError, ValueError):
            return None

    def files_left(self, written: list[str]) -> list[str]:
        """The files that the script left: in its working directory, and any of `written`
        elsewhere."""
        others = (f"{self.work}{os.sep}", str(self.fonts))
        names = []
        with contextlib.suppress(OSError):  # the script may have removed its own folder
            names += sorted(os.listdir(self.work))
        return names + [path for path in written if not path.startswith(others)]

    def remove(self) -> None:
        """Close the streams and delete the folder."""
        for stream in (self.stdin, self.stdout, self.stderr):
            os.close(stream)
        shutil.rmtree(self.path, ignore_errors=True)


@dataclass
class SupervisedRun:
    """A run that was started; `poll` is called until it returns the result.

    `limit`: seconds; `varied`: whether variants of it are run; `exit_code()`: the exit status of
    the script once it has ended, None before, negative for a signal; `processes`: the script and
    the processes that it started.
    """

    script: str
    limit: float
    varied: bool
    folder: RunFolder
    exit_code: Callable[[], int | None]
    processes: ProcessGroup | ProcessTree
    started: float = field(default_factory=time.monotonic)
    _exit_code: int | None = None
    _ended: float = 0.0
    _observed: Observation = field(init=False)

    def __post_init__(self) -> None:
        self._observed = Observation(self.script, str(self.folder.path))

    def poll(self) -> Result | None:
        """The result, once there is one; stops a run that exceeds a limit."""
        now = time.monotonic()
        if self._exit_code is None:
            if self.folder.printed() > OUTPUT_LIMIT:
                self._observed.too_much_output = True
            elif now - self.started > self.limit + MARGIN:
                self._observed.time_limit = self.limit
            if self._observed.too_much_output or self._observed.time_limit:
                self.processes.kill()
            self._exit_code, self._ended = self.exit_code(), now
            if self._exit_code is None:
                return None
        if self.processes.others_alive():
            if now - self._ended < GRACE:
                return None
            self._observed.processes_left = True
        self.processes.kill()
        return self._result()

    def abandon(self) -> None:
        """Kill the script and delete its folder; there will be no result."""
        self.processes.kill()
        self.folder.remove()

    def _result(self) -> Result:
        folder, seen = self.folder, self._observed
        if folder.printed() > OUTPUT_LIMIT:
            seen.too_much_output = True
        seen.read_stdin = os.lseek(folder.stdin, 0, os.SEEK_CUR) > 0
        seen.exit_code, report = self._exit_code, folder.read_report()
        seen.report, written = report, [file for file, _ in report["files"]] if report else []
        seen.files_left = folder.files_left(written)
        seen.line = _noted_line(Path(f"{folder.report}.trace"), self.script)
        seen.stdout, seen.stderr = folder.start_of(folder.stdout), folder.start_of(folder.stderr)
        with contextlib.suppress(OSError):  # it may be gone by now
            seen.source = Path(self.script).read_text("utf-8", "replace")
        recording = folder.recording() or ""
        variants = folder.variants() if self.varied else None
        refusal = fault_of_recorder(recording) or refusal_of(seen) or unrecordable(recording)
        folder.remove()
        text = seen.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        figures = report.get("figures", ()) if report else ()
        seconds = self._ended - self.started
        return Result(self.script, text, seconds, refusal, recording or None, figures, variants)


def _noted_line(trace: Path, script: str) -> int | None:
    """The line at which the script was stopped or crashed, from the notes of faulthandler."""
    try:
        rows = re.findall(r'File "(.*)", line (\d+)', trace.read_text("utf-8", "replace"))
    except OSError:
        return None
    name = script.encode("ascii", "backslashreplace").decode()  # as faulthandler writes it
    return next((int(line) for file, line in rows if file == name), None)


def without_room(script: str, error: OSError) -> Result:
    """The result for a script that cannot be run: the disk is full, or not writable."""
    what, expected = "the script cannot be run", "a temporary folder that can be written"
    fix = "make room on the disk, or set TMPDIR to another folder"
    return Result(script, "", 0.0, Refusal(what, expected, str(error), fix))


def unreadable(script: str) -> Result | None:
    """The result for a script that need not be run: it cannot be read, or is not UTF-8."""
    try:
        Path(script).read_bytes().decode("utf-8")
    except FileNotFoundError:
        what, expected = "the script does not exist", "a file"
        found = Refusal(what, expected, "none", "write it, or correct its name")
    except OSError as error:
        what, expected = "the script cannot be read", "a file that can be read"
        found = Refusal(what, expected, str(error), "see to its rights")
    except UnicodeDecodeError as error:
        wrong = not_utf8(script, error)
        found = Refusal(wrong.what, wrong.expected, wrong.found, wrong.fix, wrong.line)
    else:
        return None
    return Result(script, "", 0.0, found)
