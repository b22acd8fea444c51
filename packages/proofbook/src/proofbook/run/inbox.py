"""The requests that come to the forkserver on its standard input, one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import selectors
import sys
import threading


class SelectInbox:
    """Requests from standard input without a thread: a process that forks must have only one."""

    closed = False

    def __init__(self) -> None:
        self._rest = b""

    def receive(self, seconds: float | None, descriptors: list[int]) -> list[dict]:
        """The requests that have come; waits at most `seconds` (None: for ever), or until one of
        the `descriptors` is readable."""
        with selectors.DefaultSelector() as selector:
            for descriptor in (0, *descriptors):
                selector.register(descriptor, selectors.EVENT_READ)
            ready = [key.fd for key, _ in selector.select(seconds)]
        if 0 not in ready:
            return []
        chunk = os.read(0, 1 << 16)
        self.closed = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [json.loads(line) for line in lines]


class ThreadInbox:
    """Requests from standard input through a thread, where a pipe cannot be selected."""

    closed = False

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put(None)

    def receive(self, seconds: float | None, descriptors: list[int]) -> list[dict]:
        """The requests that have come; waits at most `seconds` (None: for ever)."""
        found: list[dict] = []
        with contextlib.suppress(queue.Empty):
            while True:
                line = self._lines.get(timeout=0 if found else seconds)
                if line is None:
                    self.closed = True
                    break
                found.append(json.loads(line))
        return found
