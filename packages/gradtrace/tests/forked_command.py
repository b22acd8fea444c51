"""`gradtrace …` in a fork of a process that has imported torch, which takes seconds otherwise.

What differs from the command as it is typed: who imports torch, and when. Those who test that
start an interpreter. Not for Windows, which has no fork.
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TextIO
from unittest import mock

from gradtrace.cli import main
from gradtrace.recording import process, runner
from gradtrace.recording.script import execute

PATIENCE = 240.0
"""Seconds after which a command that never ends fails its test."""


def run_command(
    folder: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, as cheaply as may be."""
    run = forked_command if hasattr(os, "fork") else typed_command
    return run(folder, arguments, environment)


def typed_command(
    folder: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the command as a user types it: it starts an interpreter, which imports torch."""
    return subprocess.run(
        [sys.executable, "-m", "gradtrace", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


def forked_command(
    folder: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder: its exit status, and what it printed on both streams."""
    return _forked(_command, folder, arguments, environment)


def plain_run(
    folder: Path, script: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder without gradtrace, as `python script.py` does."""
    return _forked(_plain, folder, (script,), environment)


def _forked(
    status_of: Callable[[list[str]], int],
    folder: Path,
    arguments: tuple[str, ...],
    environment: dict[str, str],
) -> subprocess.CompletedProcess[str]:
    """What a function returns for the arguments, and what it printed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch._dynamo", __name__])
    streams = [folder.with_name(f"{folder.name}-{name}") for name in ("stdout", "stderr")]
    process = context.Process(
        target=_run, args=(status_of, folder, arguments, environment, streams)
    )
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        raise subprocess.TimeoutExpired(["gradtrace", *arguments], PATIENCE)
    said = [stream.read_text("utf-8") for stream in streams]
    return subprocess.CompletedProcess(["gradtrace", *arguments], process.exitcode, *said)


def _run(
    status_of: Callable[[list[str]], int],
    folder: Path,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    streams: list[Path],
) -> None:
    """In the fork: be the process of the command."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, stream in enumerate(streams, 1):
        os.dup2(os.open(stream, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    status = status_of(list(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _command(arguments: list[str]) -> int:
    with mock.patch.object(runner.subprocess, "Popen", _ForkedScript):
        return main(arguments)


def _plain(arguments: list[str]) -> int:
    sys.argv, script = arguments, str(Path(arguments[0]).resolve())
    sys.path.insert(0, os.path.dirname(script))
    try:
        execute(script)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


class _ForkedScript:
    """`subprocess.Popen` of `process.py`, as a fork that calls what that file calls."""

    def __init__(self, command: list[str], stdout: TextIO | None) -> None:
        _, child, job = command
        assert Path(child) == Path(process.__file__)
        self.returncode: int | None = None
        self._pid = os.fork()
        if self._pid == 0:
            if stdout is not None:
                os.dup2(stdout.fileno(), 1)
            atexit._clear()  # what the command wants done at its end, it does itself
            sys.path.insert(0, "")  # the place of the script's folder
            process.main(json.loads(Path(job).read_text("utf-8")))

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float = PATIENCE) -> None:
        until = time.monotonic() + timeout
        while self.poll() is None and time.monotonic() < until:
            time.sleep(0.005)

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
