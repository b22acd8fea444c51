"""The process that runs scripts: it imports torch once, then forks a process for each script.

Protocol: it reads one JSON object a line from its standard input, a request with `number`,
`script`, `limit` (seconds), `trace` (whether to record the run), `variants` (texts to run
instead, if anything) and `seed` (of `rounding`, or null). It
writes two objects for each, one a line: `number` alone when the
run starts, and `number` with the fields of a `Result` when it has ended. It ends when its input
ends.

The server's imports and setup cost a fork nothing: they create millions of objects
and no garbage, so that garbage collection meanwhile would take a fifth longer.

A run is isolated by its process, see `child`. With `fresh`, or where there is no fork (Windows),
every script gets a new interpreter instead.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections import deque
from dataclasses import asdict
from os import _exit  # a script may patch the one in `os`
from pathlib import Path
from typing import TextIO

from proofbook.run import child
from proofbook.run.judge import Result
from proofbook.run.supervisor import FONTS, Fork, SupervisedRun, cannot_run, make_folder


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
COMPILER = ("torch._inductor.compile_fx", "torch._dynamo.repro.after_dynamo")
"""What the first compilation of a process imports; it takes half of its time."""


def preload_torch() -> None:
    """Import torch, and run once the operations that nearly every script uses.

    One thread: a process that has run OpenMP with two cannot be forked safely (its child hangs in
    the first parallel operation).
    """
    gc.disable()
    with contextlib.suppress(ImportError):  # a script that needs it reports it
        import torch

        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)
        w = torch.ones(2, requires_grad=True)  # the first time initialises many things
        (2 * w).sum().backward()
        repr(w.grad)
    _share()


def preload_optimizers() -> None:
    """Import what the first optimizer of a process imports: it takes as long as torch itself."""
    if "torch._dynamo" in sys.modules or "torch" not in sys.modules:
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


COMPILED = b"torch.compile("
COMPILED_LIMIT = 6
"""How many times the limit a script may take that compiles."""

TICK = 0.004
"""Seconds between two checks of the runs."""

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
                        self._kill_orphans()
                        self._reply(number, result)
        finally:
            for run in self._runs.values():
                run.kill()
            self._runs.clear()
            self._kill_orphans()

    def _begin(self, request: dict) -> None:
        number, script = request["number"], request["script"]
        try:
            source = Path(script).read_bytes()
            source.decode("utf-8")
            folder = make_folder(self._folder)
        except (OSError, UnicodeDecodeError) as error:
            self._reply(number, cannot_run(script, error))
            return
        if COMPILED in source:
            request = {**request, "limit": COMPILED_LIMIT * request["limit"]}
        self._reply(number)
        # A time of day: a slow start of the interpreter counts too.
        deadline = time.time() + request["limit"]
        asked = {**request, "folder": str(folder), "deadline": deadline}
        self._runs[number] = SupervisedRun(request, folder, self._start(asked, source))

    def _reply(self, number: int, result: Result | None = None) -> None:
        fields = {"number": number, **(asdict(result) if result else {})}
        self._replies.write(json.dumps(fields) + "\n")
        self._replies.flush()

    def _start_fork(self, asked: dict, source: bytes) -> Fork | subprocess.Popen:
        self._begun += 1
        if self._begun + len(self._waiting) > FEW or any(word in source for word in SLOW):
            preload_optimizers()
        if asked["trace"]:
            preload_modules(RECORDING)
        if COMPILED in source:
            preload_modules(*COMPILER)
        if b"matplotlib" in source:  # it searches for fonts when it starts
            preload_modules(*DRAWING)
        pid = os.fork()
        if pid == 0:
            try:
                self._replies.close()  # descendants of the process must not hold it open
                child.run(asked)
            finally:  # only if it could not be isolated
                traceback.print_exc()
                _exit(70)
        return Fork(pid)

    def _start_fresh(self, asked: dict, source: bytes) -> Fork | subprocess.Popen:
        file = Path(asked["folder"], "asked")
        file.write_text(json.dumps(asked), "utf-8")
        own = {"PYTHONUTF8": "1", "MPLCONFIGDIR": str(Path(self._folder, FONTS))}
        command = [sys.executable, "-m", "proofbook.run.child", str(file)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, env={**os.environ, **own})

    def _kill_orphans(self) -> None:
        """Kill what ended scripts have left, wherever the system makes it our child: processes of
        running scripts remain theirs, see `child`."""
        ours = {run.process.pid for run in self._runs.values()}
        while orphans := [pid for pid in _child_processes() if pid not in ours]:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _child_processes() -> list[int]:
    """The child processes of this one, if the system lists them."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return [int(pid) for pid in text.split()]
    return []


def main(folder: str, fresh: bool) -> None:
    """Serve until the input ends, then end the process."""
    # The protocol has its own stream, apart from anything that libraries print during import.
    replies = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    server = _Server(folder, fresh, replies)
    if not fresh:
        preload_torch()
    if sys.platform == "linux":
        # What a killed script has started becomes our child, see `_kill_orphans`.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    server.serve()
    shutil.rmtree(folder, ignore_errors=True)  # no other process may be left to do it
    _exit(0)  # nothing is left to do; an orderly shutdown of torch costs a tenth of a second


if __name__ == "__main__":
    main(sys.argv[1], "fresh" in sys.argv[2:] or not hasattr(os, "fork"))
