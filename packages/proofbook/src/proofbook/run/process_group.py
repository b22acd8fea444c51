"""The processes of one script: whether any of them still lives, and the end of them all."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ProcessGroup:
    """The process `pid` of a script, the leader of its group, and all that it started.

    `exit_code()` gives the exit status of `pid` once it has ended, None before. What the script
    started shares its process group, unless it left that. Where it did, and its parent is gone, the
    forkserver is its parent (on Linux) and knows it by its `file_limit`: the limit of file size is
    another one for each script, and a process hands it on to whatever it starts.
    """

    pid: int
    file_limit: int
    exit_code: Callable[[], int | None]

    def others_alive(self) -> bool:
        """Whether processes that the script started still live."""
        return bool(self._orphans()) or _signal(os.killpg, self.pid, 0)

    def kill(self) -> None:
        """Kill the script and all that it started; waits up to a second until they are gone."""
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
            # Where one has ended, its own children are ours now: look again.
            if not [pid for pid in orphans if _reaped(pid)]:
                return orphans


@dataclass(frozen=True)
class ProcessTree:
    """The same on Windows, where nothing tells of processes whose parent has ended."""

    process: subprocess.Popen

    def others_alive(self) -> bool:
        """Always False: nobody could tell."""
        return False

    def kill(self) -> None:
        """Kill the script and what it started."""
        if self.process.poll() is None:
            command = ["taskkill", "/T", "/F", "/PID", str(self.process.pid)]
            subprocess.run(command, capture_output=True)


def _child_processes() -> list[int]:
    """The processes whose parent this one is, where the system can tell."""
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
    """Send a signal to a process or a group; gives whether there was anyone to send it to."""
    try:
        send(to, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
