"""What the benchmarks of the site share: programs in processes of their own, and a served book."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import psutil

ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1"}
UNCHECKED = 'class="unchecked"'
PATIENCE = 600.0
"""Seconds after which something that never happens ends the benchmark."""
MIB = 1024 * 1024

BUILD = """
from mkdocs.__main__ import cli
cli(["build", "--quiet"])
"""
STRICT_BUILD = BUILD.replace('"--quiet"', '"--quiet", "--strict"')
MEASURED = """
import atexit, psutil, sys, threading, time

def watch(peak=[0]):
    atexit.register(lambda: print(peak[0], time.process_time(), file=open("used", "w")))
    while True:
        peak[0] = max(peak[0], psutil.Process().memory_info().rss)
        time.sleep(0.05)

threading.Thread(target=watch, daemon=True).start()
"""
"""Writes to the file `used` the largest resident memory of its own process, in bytes, and the
seconds of the processor that it took: these hardly change with what else the machine does."""


def import_torch() -> float:
    """Seconds of `import torch` in a new interpreter: how fast the machine is at this moment."""
    return program("import torch", Path.cwd())


def program(text: str, folder: Path) -> float:
    """The seconds of a Python program in `folder`; raises if it fails."""
    return command([sys.executable, "-c", text], folder)[0]


def command(
    arguments: list[str], folder: Path, statuses: Iterable[int] = (0,)
) -> tuple[float, int, str]:
    """The seconds of a command, its exit status, and what it said; raises at another status."""
    began = time.perf_counter()
    done = subprocess.run(
        arguments, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8"
    )
    seconds = time.perf_counter() - began
    if done.returncode not in statuses:
        raise RuntimeError(f"{arguments} ended with {done.returncode}\n{done.stderr[-3000:]}")
    return seconds, done.returncode, done.stdout + done.stderr


def load() -> str:
    """How busy the machine is, where the system says so."""
    cores = os.cpu_count()
    if not hasattr(os, "getloadavg"):
        return f"{cores} cores"
    return f"{cores} cores, {os.getloadavg()[0]:.1f} processes running or waiting"


@dataclass(frozen=True)
class Edit:
    """A text appended to `file` of a book, and the address where `mark` is then served."""

    file: str
    text: str
    address: str
    mark: str


@dataclass(frozen=True)
class Waits:
    """Seconds from an edit until it is served, and until the book is checked."""

    shown: float
    checked: float


@dataclass(frozen=True)
class Served:
    """A book that `mkdocs serve` serves."""

    folder: Path
    process: psutil.Process
    address: str
    log: Path

    def get(self, path: str) -> str:
        """What is served at a path below the address of the site; "" if it is nothing yet, or is
        replaced at this moment: MkDocs opens a file first and asks for its size then."""
        try:
            with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
                return answer.read().decode("utf-8")
        except (OSError, HTTPException):
            return ""

    def wait(self, holds: Callable[[], bool]) -> float:
        """Seconds until something holds, looked at again and again."""
        began = time.perf_counter()
        while not holds():
            waited = time.perf_counter() - began
            if waited > PATIENCE or not self.process.is_running():
                raise RuntimeError(
                    f"waited for {waited:.0f} s\n{self.log.read_text('utf-8')[-3000:]}"
                )
            time.sleep(0.01)
        return time.perf_counter() - began

    def checked(self, path: str) -> bool:
        """Whether the book is checked as a page shows it."""
        return UNCHECKED not in self.get(path)

    def edit(self, edit: Edit) -> tuple[Waits, Waits]:
        """Append the text and take it away again; the waits of both."""
        path = self.folder / edit.file
        before = path.read_text("utf-8")
        one = self.write(edit, before + edit.text, True)
        return one, self.write(edit, before, False)

    def write(self, edit: Edit, text: str, there: bool, check: bool = True) -> Waits:
        """Write the file of an edit, and wait until its mark is served, or no longer is.

        Without `check` the second wait is left out: it is the first one again.
        """
        (self.folder / edit.file).write_text(text, "utf-8", newline="\n")
        shown = self.wait(lambda: (edit.mark in self.get(edit.address)) == there)
        return Waits(
            shown, shown + (self.wait(lambda: self.checked(edit.address)) if check else 0.0)
        )

    def memory(self) -> float:
        """The resident memory of the server's own process, in MiB."""
        return self.process.memory_info().rss / MIB


@contextmanager
def serve(folder: Path) -> Iterator[tuple[Served, float]]:
    """Serve the book in `folder`; gives it with the seconds until its first page is served."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder.parent / "serve.log"
    arguments = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"]
    with log.open("wb") as out:
        process = subprocess.Popen(arguments, cwd=folder, env=ENVIRONMENT, stdout=out, stderr=out)
    try:
        address = f"http://127.0.0.1:{port}/"
        served = Served(folder, psutil.Process(process.pid), address, log)
        seconds = served.wait(lambda: "<article" in served.get(""))
        yield served, seconds
    finally:
        process.terminate()
        process.wait()
