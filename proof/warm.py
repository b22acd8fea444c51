"""The warm process: imports torch once, then runs each script in a process of its own.

Reads one JSON object a line (`script`, `limit`) and writes one a line (a `Result`), as each run ends; ends
when its input ends. Where there is no fork (Windows), or with `--fresh`, every script gets a new interpreter.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import json
import os
import queue
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from proof import child
from proof.trial import Folder, Trial, unreadable

TICK = 0.02
"""Seconds between two looks at the limits of what is running."""


def main() -> None:
    """Serve until the input ends."""
    fresh = "--fresh" in sys.argv or not hasattr(os, "fork")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    inbox = ThreadInbox() if fresh else SelectInbox()
    if not fresh:
        _warm_up()
    waiting: deque[dict] = deque()
    live: list[Trial] = []
    try:
        while True:
            wakes = [t.wakes for t in live if t.wakes is not None]
            waiting += inbox.take(TICK if live or not waiting else 0, wakes)
            if inbox.closed:
                return
            while waiting and len(live) < cores:
                job = waiting.popleft()
                if told := unreadable(job["script"]):
                    _tell(told)
                else:
                    start = _start_fresh if fresh else _start_fork
                    live.append(start(job["script"], job["limit"], live))
            for trial in list(live):
                if result := trial.poll():
                    live.remove(trial)
                    if trial.wakes is not None:
                        os.close(trial.wakes)
                    _tell(result)
    finally:
        for trial in live:
            trial.kill()
            trial.folder.remove()


def _tell(result) -> None:
    sys.__stdout__.write(json.dumps(asdict(result)) + "\n")
    sys.__stdout__.flush()


class SelectInbox:
    """Jobs from standard input without a thread: a process that forks must have only one."""

    closed = False

    def __init__(self) -> None:
        self._rest = b""

    def take(self, seconds: float, wakes: list[int]) -> list[dict]:
        """The jobs that have come; waits at most `seconds`, or until one of the descriptors `wakes` is readable."""
        with selectors.DefaultSelector() as selector:
            for descriptor in (0, *wakes):
                selector.register(descriptor, selectors.EVENT_READ)
            ready = [key.fd for key, _ in selector.select(seconds)]
        if 0 not in ready:
            return []
        chunk = os.read(0, 1 << 16)
        self.closed = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [json.loads(line) for line in lines]


class ThreadInbox:
    """Jobs from standard input through a thread, where pipes cannot be waited for together."""

    closed = False

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put(None)

    def take(self, seconds: float, wakes: list[int]) -> list[dict]:
        """The jobs that have come; waits at most `seconds`."""
        found: list[dict] = []
        with contextlib.suppress(queue.Empty):
            while True:
                line = self._lines.get(timeout=0 if found else seconds or None)
                if line is None:
                    self.closed = True
                    break
                found.append(json.loads(line))
        return found


def _warm_up() -> None:
    """Everything that every run needs, once, so that a fork has it for nothing.

    One thread: a process that has run OpenMP with two cannot be forked safely (its child hangs in
    the first parallel operation). `torch._dynamo` is what the first optimizer imports, a second's work.
    """
    import torch
    import torch._dynamo  # noqa: F401

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    if sys.platform == "linux":
        # Orphans of a script come to us, so that none can hide.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    for finalizer in list(weakref.finalize._registry):
        finalizer.atexit = False  # torch's own, for this process: 28 ms at the end of every run
    gc.collect()
    gc.freeze()


def _start_fork(script: str, limit: float, live: list[Trial]) -> Trial:
    folder = Folder()
    wakes, held = os.pipe()  # readable when every process that holds the other end is gone
    pid = os.fork()
    if pid == 0:
        _become(folder)
        child.run(script, str(folder.report), limit)
    os.close(held)
    status: list[int] = []

    def ended() -> int | None:
        if not status:
            done, code = os.waitpid(pid, os.WNOHANG)
            if done:
                status.append(os.waitstatus_to_exitcode(code))
        return status[0] if status else None

    def others() -> bool:
        known = {trial.pid for trial in live}
        orphans = [p for p in _children() if p not in known and not _reaped(p)]
        return bool(orphans) or _signal_group(pid, 0)

    def kill() -> None:
        _signal_group(pid, signal.SIGKILL)
        if status:
            for orphan in _children() - {trial.pid for trial in live}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(orphan, signal.SIGKILL)

    return Trial(script, limit, folder, pid, ended, others, kill, wakes)


def _become(folder: Folder) -> None:
    """Give the forked process the streams, the folder and the limits of its own."""
    import resource

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, descriptor in enumerate((folder.stdin, folder.stdout, folder.stderr)):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = open(
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))
    os.environ.update(folder.environment())
    tempfile.tempdir = None
    os.chdir(folder.work)


def _children() -> set[int]:
    """The processes whose parent we are, where the system can tell."""
    try:
        return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
    except OSError:
        return set()


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _signal_group(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _start_fresh(script: str, limit: float, live: list[Trial]) -> Trial:
    folder = Folder()
    process = subprocess.Popen(
        [sys.executable, child.__file__, script, str(folder.report), str(limit)],
        stdin=folder.stdin,
        stdout=folder.stdout,
        stderr=folder.stderr,
        cwd=folder.work,
        env={**os.environ, **folder.environment(), "PYTHONUTF8": "1"},
        start_new_session=hasattr(os, "fork"),
    )
    kill, others = _fresh_group(process)
    return Trial(script, limit, folder, process.pid, process.poll, others, kill)


def _fresh_group(process: subprocess.Popen) -> tuple[Callable[[], None], Callable[[], bool]]:
    if hasattr(os, "killpg"):
        return (
            lambda: _signal_group(process.pid, signal.SIGKILL) and None,
            lambda: _signal_group(process.pid, 0),
        )

    def kill() -> None:
        if process.poll() is None:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True)

    return kill, lambda: False


if __name__ == "__main__":
    # The protocol keeps a stream of its own, whatever a library prints while it is imported.
    sys.__stdout__ = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    main()
