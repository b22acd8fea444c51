"""Shows an author the progress of the runs: on a terminal a status line, elsewhere slow scripts.

Nothing is colored, and only a terminal gets a line that changes.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TextIO

from proofbook.run.judge import Result

PATIENCE = 5.0
"""Seconds after which an unfinished run is named."""

_LOOK = 0.1

Running = Callable[[], list[tuple[Path, float]]]
"""The running scripts, each with its seconds so far."""


@contextlib.contextmanager
def showing_progress(
    runs: Sequence[Future[Result]], running: Running, root: Path, stream: TextIO | None = None
) -> Iterator[None]:
    """While the block runs, show on the `stream` (standard error) the progress of the `runs`.

    `root`: the folder of the book, to which the names of scripts are relative.
    """
    stream, over = stream or sys.stderr, threading.Event()

    def look() -> None:
        began, shown, named = time.monotonic(), "", set[str]()
        while not over.wait(_LOOK):
            slow = [(_name(path, root), took) for path, took in running() if took >= PATIENCE]
            if stream.isatty():
                seconds = time.monotonic() - began
                text = f"{sum(run.done() for run in runs)} of {len(runs)} runs, {seconds:.0f} s"
                if slow:
                    text += "; still running: " + ", ".join(f"{n} ({s:.0f} s)" for n, s in slow)
                text = text[: shutil.get_terminal_size().columns - 1]
                print("\r" + text.ljust(len(shown)), end="", file=stream, flush=True)
                shown = text
            for name, took in slow if not stream.isatty() else ():
                if name not in named:  # once for each, as lines remain
                    named.add(name)
                    print(f"still running, after {took:.0f} s: {name}", file=stream, flush=True)
        if shown:
            print("\r" + " " * len(shown) + "\r", end="", file=stream, flush=True)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
