"""The processes of one script: who of them still lives, and the end of them all."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path


def family(
    pid: int, mark: int, ended: Callable[[], int | None]
) -> tuple[Callable[[], bool], Callable[[], None]]:
    """`others` and `kill` of a script that runs as `pid`.

    Its processes share its process group, unless they take one of their own. Those come to us once
    their parents are gone (on Linux), and are known by their limit of file size: each script has
    another (`mark`), and a process hands it on to all that it starts.
    """

    def orphans() -> list[int]:
        while True:
            ours = [p for p in _children() if p != pid and _file_limit(p) == mark]
            # Where one is dead, its own children come to us now: look again.
            if not [p for p in ours if _reaped(p)]:
                return ours

    def others() -> bool:
        return bool(orphans()) or _signal(os.killpg, pid, 0)

    def kill() -> None:
        until = time.monotonic() + 1
        while (ended() is None or others()) and time.monotonic() < until:
            if ended() is None:
                _signal(os.kill, pid, signal.SIGKILL)
            _signal(os.killpg, pid, signal.SIGKILL)
            for orphan in orphans():
                _signal(os.kill, orphan, signal.SIGKILL)
            time.sleep(0.001)

    return others, kill


def _children() -> list[int]:
    """The processes whose parent we are, where the system can tell."""
    try:
        tell = Path(f"/proc/self/task/{os.getpid()}/children")
        return [int(pid) for pid in tell.read_text().split()]
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
    """Whether there was anyone to send the signal to."""
    try:
        send(to, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
