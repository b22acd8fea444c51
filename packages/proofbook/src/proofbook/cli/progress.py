"""What an author sees while the snippets run: on a terminal how far it is, elsewhere what is slow.

Nothing has a color, and only a terminal gets a line that changes.
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

from proofbook.run.result import Result

PATIENCE = 5.0
"""Seconds after which a run that has not ended is named."""

_LOOK = 0.1

Running = Callable[[], list[tuple[Path, float]]]
"""The scripts that run at this moment, each with its seconds so far."""


@contextlib.contextmanager
def showing_progress(
    runs: Sequence[Future[Result]], running: Running, root: Path, stream: TextIO | None = None
) -> Iterator[None]:
    """While the block runs, show on the `stream` (standard error) how far the `runs` are.

    `root`: the folder of the book, from which the scripts are named.
    """
    stream = stream or sys.stderr
    show = _Line(stream, len(runs)) if stream.isatty() else _Notes(stream)
    over = threading.Event()

    def look() -> None:
        began = time.monotonic()
        while not over.wait(_LOOK):
            slow = [(_name(path, root), took) for path, took in running() if took >= PATIENCE]
            show.show(sum(run.done() for run in runs), time.monotonic() - began, slow)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        show.clear()


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


class _Notes:
    """Where lines cannot be written over: one for each run that is slow, and no other."""

    def __init__(self, stream: TextIO):
        self._stream, self._named = stream, set[str]()

    def show(self, done: int, seconds: float, slow: list[tuple[str, float]]) -> None:
        for name, took in slow:
            if name not in self._named:
                self._named.add(name)
                print(f"still running, after {took:.0f} s: {name}", file=self._stream, flush=True)

    def clear(self) -> None:
        """Lines stay."""


class _Line:
    """The last line of a terminal, written over and over."""

    def __init__(self, stream: TextIO, runs: int):
        self._stream, self._runs, self._shown = stream, runs, ""

    def show(self, done: int, seconds: float, slow: list[tuple[str, float]]) -> None:
        text = f"{done} of {self._runs} runs, {seconds:.0f} s"
        if slow:
            text += "; still running: " + ", ".join(f"{name} ({took:.0f} s)" for name, took in slow)
        text = text[: shutil.get_terminal_size().columns - 1]
        if text != self._shown:
            self._stream.write("\r" + text.ljust(len(self._shown)))
            self._stream.flush()
            self._shown = text

    def clear(self) -> None:
        if self._shown:
            self._stream.write("\r" + " " * len(self._shown) + "\r")
            self._stream.flush()
