"""The warm process: imports torch once, then runs each script in a process of its own.

Reads one JSON object a line (`number`, `script`, `limit`, and `trace`: whether to record it) and
writes two for each, one a line: `number` alone as the run starts; with the fields of a `Result` as
it ends. It ends when its input ends. With `fresh`, or where there is no fork (Windows), every
script gets a new interpreter.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import io
import itertools
import json
import os
import queue
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import weakref
from collections import deque
from dataclasses import asdict
from os import _exit  # a script may patch the one in `os`
from pathlib import Path

from proofbook.run import entry
from proofbook.run.process_group import family
from proofbook.run.result import Result
from proofbook.run.supervisor import Folder, Trial, unreadable

TICK = 0.01
"""Seconds between two looks at what is running, where its end does not wake us."""

FILE_LIMIT = 1 << 26
"""The most that a script may write into one file, in bytes."""

_marks = itertools.count(FILE_LIMIT)


def main(folder: str, fresh: bool) -> None:
    """Serve until the input ends; everything that the runs write lies in `folder`."""
    inbox = ThreadInbox() if fresh else SelectInbox()
    start = _start_fresh if fresh else _start_fork
    if not fresh:
        _warm_up()
    if sys.platform == "linux":
        # Orphans of a script come to us, so that none can hide.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    waiting: deque[dict] = deque()
    live: dict[int, Trial] = {}
    try:
        while True:
            while waiting and len(live) < cores:
                job = waiting.popleft()
                if told := unreadable(job["script"]):
                    _tell(job["number"], told)
                else:
                    _say({"number": job["number"]})  # it starts
                    live[job["number"]] = start(job["script"], job["limit"], folder, job["trace"])
            wakes = [t.wakes for t in live.values() if t.wakes is not None]
            waiting += inbox.take(TICK if live else None, wakes)
            if inbox.closed:
                return
            for number, trial in list(live.items()):
                if result := trial.poll():
                    del live[number]
                    _tell(number, result)
    finally:
        for trial in live.values():
            trial.kill()
            trial.folder.remove()


def _tell(number: int, result: Result) -> None:
    _say({"number": number, **asdict(result)})


def _say(told: dict) -> None:
    sys.__stdout__.write(json.dumps(told) + "\n")
    sys.__stdout__.flush()


class SelectInbox:
    """Jobs from standard input without a thread: a process that forks must have only one."""

    closed = False

    def __init__(self) -> None:
        self._rest = b""

    def take(self, seconds: float | None, wakes: list[int]) -> list[dict]:
        """The jobs that have come; waits at most `seconds` (None: for ever), or until one of the
        descriptors `wakes` is readable."""
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

    def take(self, seconds: float | None, wakes: list[int]) -> list[dict]:
        """The jobs that have come; waits at most `seconds` (None: for ever)."""
        found: list[dict] = []
        with contextlib.suppress(queue.Empty):
            while True:
                line = self._lines.get(timeout=0 if found else seconds)
                if line is None:
                    self.closed = True
                    break
                found.append(json.loads(line))
        return found


def _warm_up() -> None:
    """Everything that every run needs, once, so that a fork has it for nothing.

    One thread: a process that has run OpenMP with two cannot be forked safely (its child hangs in
    the first parallel operation). `torch._dynamo` is what the first optimizer imports, a second's
    work. Both make millions of objects and no garbage: looking for it would take a fifth longer.
    """
    gc.disable()
    import torch
    import torch._dynamo

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    # Once through what nearly every snippet does: the first time sets up a good deal, in any fork.
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1)
    (2 * w).sum().backward()
    optimizer.step()
    repr(w.grad)
    # What torch does at the end of this process is not for every fork to do: 30 ms each.
    for finalizer in list(weakref.finalize._registry):
        finalizer.atexit = False
    for module, name in (("utils", "dump_compile_times"), ("eval_frame", "_log_traced_frames")):
        if handler := getattr(sys.modules.get(f"torch._dynamo.{module}"), name, None):
            atexit.unregister(handler)
    gc.collect()
    gc.freeze()
    gc.enable()


def _start_fork(script: str, limit: float, within: str, trace: bool) -> Trial:
    folder, mark = Folder(within), next(_marks)
    if trace:
        import gradtrace.record.recorder  # noqa: F401  once here, and not in every fork
    if b"matplotlib" in Path(script).read_bytes():
        import matplotlib.backends.backend_svg
        import matplotlib.pyplot  # noqa: F401  once here: in a fork it looks for fonts at each start
    pid = os.fork()
    if pid == 0:
        try:
            _become(folder, mark)
            entry.run(script, str(folder.report), limit, _recorder(script) if trace else None)
        except BaseException:
            traceback.print_exc()
        finally:
            _exit(70)  # whatever a script does: never back into our own loop
    status: list[int] = []

    def ended() -> int | None:
        if not status:
            done, code = os.waitpid(pid, os.WNOHANG)
            if done:
                status.append(os.waitstatus_to_exitcode(code))
        return status[0] if status else None

    return Trial(script, limit, folder, ended, *family(pid, mark, ended), _wakes(pid))


def _recorder(script: str):
    from gradtrace.record.recorder import Recorder  # it imports torch

    return Recorder(script)


def _wakes(pid: int) -> int | None:
    """A descriptor that is readable once the process has ended, where the system has such."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _become(folder: Folder, mark: int) -> None:
    """Give the forked process the streams, the folder and the limits of its own."""
    import resource

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, descriptor in enumerate((folder.stdin, folder.stdout, folder.stderr)):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = _stream(0, "r")
    sys.stdout = sys.__stdout__ = _stream(1, "w")
    sys.stderr = sys.__stderr__ = _stream(2, "w", errors="backslashreplace", buffering=1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (mark, mark))
    os.environ.update(folder.environment())
    tempfile.tempdir = None
    os.chdir(folder.work)


def _stream(descriptor: int, mode: str, **how) -> io.TextIOBase:
    return open(descriptor, mode, encoding="utf-8", closefd=False, **how)


def _start_fresh(script: str, limit: float, within: str, trace: bool) -> Trial:
    folder, mark = Folder(within), next(_marks)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "proofbook.run.record_entry" if trace else "proofbook.run.entry",
            script,
            str(folder.report),
            str(limit),
        ],
        stdin=folder.stdin,
        stdout=folder.stdout,
        stderr=folder.stderr,
        cwd=folder.work,
        env={
            **os.environ,
            **folder.environment(),
            "PYTHONUTF8": "1",
            "MPLCONFIGDIR": str(Path(within, "matplotlib")),  # what it knows of fonts, for all runs
        },
        start_new_session=hasattr(os, "fork"),
    )
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (mark, mark))
    others, kill = (
        family(process.pid, mark, process.poll)
        if hasattr(os, "killpg")
        else (lambda: False, lambda: _kill_tree(process))
    )
    return Trial(script, limit, folder, process.poll, others, kill)


def _kill_tree(process: subprocess.Popen) -> None:
    """On Windows."""
    if process.poll() is None:
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True)


if __name__ == "__main__":
    # The protocol keeps a stream of its own, whatever a library prints while it is imported.
    sys.__stdout__ = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    main(sys.argv[1], "fresh" in sys.argv[2:] or not hasattr(os, "fork"))
    shutil.rmtree(sys.argv[1], ignore_errors=True)  # nobody may be left who would do it
    _exit(0)  # nothing is left to do; to take torch down in order costs a tenth of a second
