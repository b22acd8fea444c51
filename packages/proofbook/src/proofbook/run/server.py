"""The process that runs scripts: it imports torch once, then forks a process for each script.

Protocol: it reads one JSON object a line from its standard input, a request with `number`,
`script`, `limit` (seconds), `trace` (whether to record the run), `variants` (texts to run
instead, if anything) and `machine` (the fields of the `Machine` to imitate, or null). It
writes two objects for each, one a line: `number` alone when the
run starts, and `number` with the fields of a `Result` when it has ended. It ends when its input
ends.

The server's imports and setup cost a fork nothing: they create millions of objects
and no garbage, so that garbage collection meanwhile would take a fifth longer.

A run is isolated by its process: the leader of a session of its own, with streams, a working
directory and a limit of file size of its own. With `fresh`, or where there is no fork (Windows),
every script gets a new interpreter instead.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import itertools
import json
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from os import _exit  # a script may patch the one in `os`
from pathlib import Path
from typing import TextIO

from proofbook.run import child
from proofbook.run.judge import Result
from proofbook.run.supervisor import (
    ProcessGroup,
    ProcessTree,
    RunFolder,
    SupervisedRun,
    unreadable,
    without_room,
)


class _SelectedRequests:
    """Requests from standard input without a thread: a process that forks must have only one."""

    closed = False

    def __init__(self) -> None:
        self._rest = b""

    def receive(self, seconds: float | None) -> list[dict]:
        """The requests received; waits at most `seconds` (None: for ever)."""
        if not select.select([0], [], [], seconds)[0]:
            return []
        chunk = os.read(0, 1 << 16)
        self.closed = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [json.loads(line) for line in lines]


class ThreadedRequests:
    """Requests from standard input through a thread, if a pipe cannot be selected."""

    closed = False

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put(None)

    def receive(self, seconds: float | None) -> list[dict]:
        """The requests received; waits at most `seconds` (None: for ever)."""
        found: list[dict] = []
        with contextlib.suppress(queue.Empty):
            while True:
                line = self._lines.get(timeout=0 if found else seconds)
                if line is None:
                    self.closed = True
                    break
                found.append(json.loads(line))
        return found


DRAWING = ("matplotlib.pyplot", "matplotlib.backends.backend_svg")
RECORDING = "gradtrace.recording.recorder"


def preload_torch() -> None:
    """Import torch, and run once the operations that nearly every script uses.

    One thread: a process that has run OpenMP with two cannot be forked safely (its child hangs in
    the first parallel operation).
    """
    gc.disable()
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    w = torch.ones(2, requires_grad=True)  # the first time initialises many things
    (2 * w).sum().backward()
    repr(w.grad)
    _share()


def preload_optimizers() -> None:
    """Import the modules that the first optimizer of a process imports: it takes as long as torch
    itself."""
    if "torch._dynamo" in sys.modules:
        return
    gc.disable()
    import torch
    import torch._dynamo

    w = torch.ones(2, requires_grad=True)
    (2 * w).sum().backward()
    torch.optim.SGD([w], lr=1).step()
    _share()


def preload_modules(*names: str) -> None:
    """Import modules, once; if one is not installed, the script that needs it reports it."""
    if all(name in sys.modules for name in names):
        return
    gc.disable()
    with contextlib.suppress(ImportError):
        for name in names:
            importlib.import_module(name)
    _share()


def _share() -> None:
    """Let forks share the objects of this process: exclude them from garbage collection, and skip
    torch's work at exit in forks (30 ms each)."""
    for finalizer in list(weakref.finalize._registry):
        finalizer.atexit = False
    for module, name in (("utils", "dump_compile_times"), ("eval_frame", "_log_traced_frames")):
        if handler := getattr(sys.modules.get(f"torch._dynamo.{module}"), name, None):
            atexit.unregister(handler)
    gc.freeze()
    gc.enable()


TICK = 0.004
"""Seconds between two checks of the runs."""

FILE_LIMIT = 1 << 26
"""The maximum size of a file written by a script, in bytes."""

FEW = 4
"""Up to this many runs, a module as slow to import as torch, used by few, is not preloaded."""

SLOW = (b"optim", b"DistributedDataParallel", b"fully_shard")
"""Words of a script that needs it; with several processes each of them would import it."""


class _Server:
    """Serves the requests from standard input; writes to `replies`.

    All files written by the runs are in `folder`.
    """

    def __init__(self, folder: str, fresh: bool, replies: TextIO) -> None:
        self._folder, self._replies = folder, replies
        self._requests = ThreadedRequests() if fresh else _SelectedRequests()
        self._start = self._start_fresh if fresh else self._start_fork
        # Each run has another one, which identifies its processes: see `ProcessGroup`.
        self._file_limits = itertools.count(FILE_LIMIT)
        self._waiting: deque[dict] = deque()
        self._runs: dict[int, SupervisedRun] = {}
        self._begun = 0

    def serve(self) -> None:
        """Run the requests, as many scripts at a time as there are cores, until the input ends;
        then kill running ones."""
        cores = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        try:
            while not self._requests.closed:
                while self._waiting and len(self._runs) < cores:
                    self._begin(self._waiting.popleft())
                self._waiting.extend(self._requests.receive(TICK if self._runs else None))
                for number, run in [] if self._requests.closed else list(self._runs.items()):
                    if result := run.poll():
                        del self._runs[number]
                        self._reply(number, result)
        finally:
            for run in self._runs.values():
                run.abandon()

    def _begin(self, request: dict) -> None:
        number, script = request["number"], request["script"]
        if result := unreadable(script):
            self._reply(number, result)
            return
        try:
            folder, file_limit = RunFolder(self._folder), next(self._file_limits)
        except OSError as error:
            self._reply(number, without_room(script, error))
            return
        self._reply(number)
        self._runs[number] = self._start(request, folder, file_limit)

    def _reply(self, number: int, result: Result | None = None) -> None:
        fields = {"number": number, **(asdict(result) if result else {})}
        self._replies.write(json.dumps(fields) + "\n")
        self._replies.flush()

    def _fork(self, run: Callable[[], object]) -> int:
        """Fork a process that calls `run` and never returns into our loop."""
        pid = os.fork()
        if pid == 0:
            try:
                self._replies.close()  # descendants of the process must not hold it open
                run()
            except BaseException:
                traceback.print_exc()
            finally:
                _exit(70)
        return pid

    def _start_fork(self, request: dict, folder: RunFolder, file_limit: int) -> SupervisedRun:
        script, limit = request["script"], request["limit"]
        self._begun += 1
        source = Path(script).read_bytes()
        if self._begun + len(self._waiting) > FEW or any(word in source for word in SLOW):
            preload_optimizers()
        if request["trace"]:
            preload_modules(RECORDING)
        if b"matplotlib" in source:  # it searches for fonts when it starts
            preload_modules(*DRAWING)

        def run() -> None:
            _isolate(folder, file_limit)
            child.run(request, str(folder.report), limit)

        pid = self._fork(run)
        exit_code = _exit_code_of(pid)
        processes = ProcessGroup(pid, file_limit, exit_code)
        varied = bool(request["variants"])
        return SupervisedRun(script, limit, varied, folder, exit_code, processes)

    def _start_fresh(self, request: dict, folder: RunFolder, file_limit: int) -> SupervisedRun:
        script, limit = request["script"], request["limit"]
        # The deadline is a time of day: a slow start of the interpreter counts too.
        asked = {**request, "report": str(folder.report), "deadline": time.time() + limit}
        file = Path(f"{folder.report}.asked")
        file.write_text(json.dumps(asked), "utf-8")
        command = [sys.executable, "-m", "proofbook.run.child", str(file)]
        process = subprocess.Popen(
            command,
            stdin=folder.stdin,
            stdout=folder.stdout,
            stderr=folder.stderr,
            cwd=folder.work,
            env={
                **os.environ,
                **folder.environment(),
                "PYTHONUTF8": "1",
                "MPLCONFIGDIR": str(folder.fonts),
            },
            start_new_session=hasattr(os, "fork"),
        )
        if sys.platform == "linux":
            import resource

            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (file_limit, file_limit))
        if hasattr(os, "killpg"):
            processes = ProcessGroup(process.pid, file_limit, process.poll)
        else:
            processes = ProcessTree(process)
        varied = bool(request["variants"])
        return SupervisedRun(script, limit, varied, folder, process.poll, processes)


def _exit_code_of(pid: int) -> Callable[[], int | None]:
    """A function that returns the exit status of a child process once it has ended, None before."""
    status: list[int] = []

    def exit_code() -> int | None:
        if not status:
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                status.append(os.waitstatus_to_exitcode(code))
        return status[0] if status else None

    return exit_code


def _isolate(folder: RunFolder, file_limit: int) -> None:
    """Set up the session, the streams, the folder and the limits of the forked process."""
    import resource

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, descriptor in enumerate((folder.stdin, folder.stdout, folder.stderr)):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = _open(0, "r")
    sys.stdout = sys.__stdout__ = _open(1, "w")
    sys.stderr = sys.__stderr__ = _open(2, "w", errors="backslashreplace", buffering=1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    os.environ.update(folder.environment())
    tempfile.tempdir = None
    os.chdir(folder.work)


def _open(descriptor: int, mode: str, **options) -> io.TextIOBase:
    return open(descriptor, mode, encoding="utf-8", closefd=False, **options)


def main(folder: str, fresh: bool) -> None:
    """Serve until the input ends, then end the process."""
    # The protocol has its own stream, apart from anything that libraries print during import.
    replies = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    server = _Server(folder, fresh, replies)
    if not fresh:
        preload_torch()
    if sys.platform == "linux":
        # Processes whose parent has ended become our children, so that none can hide.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    server.serve()
    shutil.rmtree(folder, ignore_errors=True)  # no other process may be left to do it
    _exit(0)  # nothing is left to do; an orderly shutdown of torch costs a tenth of a second


if __name__ == "__main__":
    main(sys.argv[1], "fresh" in sys.argv[2:] or not hasattr(os, "fork"))
