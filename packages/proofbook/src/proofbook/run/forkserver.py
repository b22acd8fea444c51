"""The process that runs scripts: it imports torch once, then forks a process for each script.

Protocol: it reads one JSON object a line from its standard input, a request with `number`,
`script`, `limit` (seconds), `trace` (whether to record the run), `variants` (what is run
instead, if anything) and `machine` (the fields of the `Machine` to imitate, or null). It
writes two objects for each, one a line: `number` alone when the
run starts, and `number` with the fields of a `Result` when it has ended. It ends when its input
ends.

A run is isolated by its process: the leader of a session of its own, with streams, a working
directory and a limit of file size of its own. With `fresh`, or where there is no fork (Windows),
every script gets a new interpreter instead.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from os import _exit  # a script may patch the one in `os`
from pathlib import Path
from typing import TextIO

from proofbook.run import entry
from proofbook.run.inbox import SelectInbox, ThreadInbox
from proofbook.run.machine import Machine
from proofbook.run.preload import (
    DRAWING,
    RECORDING,
    preload_modules,
    preload_optimizers,
    preload_torch,
)
from proofbook.run.process_group import ProcessGroup, ProcessTree
from proofbook.run.result import Result
from proofbook.run.supervisor import RunFolder, SupervisedRun, unreadable, without_room

TICK = 0.01
"""Seconds between two looks at the runs, where the end of one does not interrupt the waiting."""

FILE_LIMIT = 1 << 26
"""The most that a script may write into one file, in bytes."""

FEW = 4
"""So many runs do without what takes as long to import as torch itself, and few of them need."""

SLOW = (b"optim", b"DistributedDataParallel", b"fully_shard")
"""Words of a script that needs it; with several processes each of them would import it."""


class Forkserver:
    """Serves the requests that come on standard input; writes to `replies`.

    Everything that the runs write is in `folder`.
    """

    def __init__(self, folder: str, fresh: bool, replies: TextIO) -> None:
        self._folder, self._replies = folder, replies
        self._inbox = ThreadInbox() if fresh else SelectInbox()
        self._start = self._start_fresh if fresh else self._start_fork
        # Each run has another one, by which its processes are known: see `ProcessGroup`.
        self._file_limits = itertools.count(FILE_LIMIT)
        self._waiting: deque[dict] = deque()
        self._runs: dict[int, SupervisedRun] = {}
        self._begun = 0

    def serve(self) -> None:
        """Run what is requested, as many scripts at a time as there are cores, until the input
        ends; what still runs then is killed."""
        cores = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        try:
            while not self._inbox.closed:
                while self._waiting and len(self._runs) < cores:
                    self._begin(self._waiting.popleft())
                runs = self._runs.values()
                ends = [run.exit_descriptor for run in runs if run.exit_descriptor is not None]
                self._waiting.extend(self._inbox.receive(TICK if runs else None, ends))
                for number, run in [] if self._inbox.closed else list(self._runs.items()):
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
        """Fork a process that does `run`, whatever that does: it never comes back into our loop."""
        pid = os.fork()
        if pid == 0:
            try:
                self._replies.close()  # what the process leaves behind must not hold it open
                run()
            except BaseException:
                traceback.print_exc()
            finally:
                _exit(70)
        return pid

    def _start_fork(self, request: dict, folder: RunFolder, file_limit: int) -> SupervisedRun:
        script, limit, trace = request["script"], request["limit"], request["trace"]
        machine = Machine(**request["machine"]) if request["machine"] else None
        self._begun += 1
        source = Path(script).read_bytes()
        if self._begun + len(self._waiting) > FEW or any(word in source for word in SLOW):
            preload_optimizers()
        variants = request["variants"]
        if trace:
            preload_modules(RECORDING)
        if b"matplotlib" in source:  # it looks for fonts when it starts
            preload_modules(*DRAWING)

        def run() -> None:
            _isolate(folder, file_limit)
            entry.run(script, str(folder.report), limit, trace, machine, variants)

        pid = self._fork(run)
        exit_code = _exit_code_of(pid)
        processes = ProcessGroup(pid, file_limit, exit_code)
        ended = _exit_descriptor(pid)
        return SupervisedRun(script, limit, bool(variants), folder, exit_code, processes, ended)

    def _start_fresh(self, request: dict, folder: RunFolder, file_limit: int) -> SupervisedRun:
        script, limit, machine = request["script"], request["limit"], request["machine"]
        command = [sys.executable, "-m", "proofbook.run.entry"]
        command += [script, str(folder.report), str(time.time() + limit)]
        command += ["record"] if request["trace"] else []
        if request["variants"]:
            Path(f"{folder.report}.asked").write_text(json.dumps(request["variants"]), "utf-8")
            command += ["variants"]
        command += [json.dumps(machine)] if machine else []
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
    """A function that gives the exit status of a child process once it has ended, None before."""
    status: list[int] = []

    def exit_code() -> int | None:
        if not status:
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                status.append(os.waitstatus_to_exitcode(code))
        return status[0] if status else None

    return exit_code


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that is readable once the process has ended, where the system has such."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _isolate(folder: RunFolder, file_limit: int) -> None:
    """Give the forked process the session, the streams, the folder and the limits of its own."""
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
    # The protocol has a stream of its own, whatever a library prints while it is imported.
    replies = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    server = Forkserver(folder, fresh, replies)
    if not fresh:
        preload_torch()
    if sys.platform == "linux":
        # Processes whose parent has ended become our children, so that none can hide.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    server.serve()
    shutil.rmtree(folder, ignore_errors=True)  # nobody may be left who would do it
    _exit(0)  # nothing is left to do; to take torch down in order costs a tenth of a second


if __name__ == "__main__":
    main(sys.argv[1], "fresh" in sys.argv[2:] or not hasattr(os, "fork"))
