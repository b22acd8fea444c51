"""Records what the script prints."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TextIO

from gradtrace.recording.event_log import EventLog


class PrintedOutput:
    """Records the texts that are written to a stream."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def observe(self, stream: TextIO, until: ExitStack) -> None:
        """Record what is written to `stream` until the stack is closed. The stream stays the object
        that it is; only its method `write` is wrapped."""
        original = stream.write

        def write(text: str) -> int:
            self._record(text)
            return original(text)

        stream.write = write
        until.callback(delattr, stream, "write")

    def _record(self, text: str) -> None:
        self._log.trace.stdout += text
        if not text or not self._log.is_recording:
            return
        with self._log.suspended:
            events = reversed(self._log.trace.events)
            last = next((event for event in events if event["k"] != "read"), {"k": ""})
            if last["k"] == "print" and not last["text"].endswith("\n"):
                last["text"] += text
            else:
                self._log.add("print", text=text)
