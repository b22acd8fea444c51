"""The trace while it is being recorded, and whether recording goes on."""

from __future__ import annotations

import platform
import threading

import torch

from gradtrace.record.script_position import ScriptPosition
from gradtrace.record.suspended import SuspendedRecording
from gradtrace.trace import Event, Trace


class EventLog:
    """The trace being recorded; all observers share one. `max_events`: recording ends after it."""

    def __init__(self, script: ScriptPosition, source: str, max_events: int) -> None:
        python = ".".join(platform.python_version_tuple()[:2])
        self.trace = Trace(torch.__version__.partition("+")[0], python, source)
        self.script = script
        self.suspended = SuspendedRecording()
        self.passes: list[int] = []
        """The backward passes that are running now, the innermost last."""
        self.open = False
        self._max_events = max_events
        self._thread = threading.get_ident()

    @property
    def is_recording(self) -> bool:
        """Whether what happens now is recorded: the recorder is not at work itself, and this is the
        thread in which recording began."""
        if not self.open or self.suspended.active:
            return False
        return threading.get_ident() == self._thread

    def add(self, k: str, **fields: object) -> Event:
        """Add an event at the present line of the script; gives it, to be completed."""
        event = Event(k=k, line=self.script.line(), **fields)
        self.trace.events.append(event)
        return event

    def close_if_full(self) -> bool:
        """Close the log if it holds enough events, between two passes, so that none is cut in half;
        gives whether it is closed."""
        events = self.trace.events
        if self.open and not self.passes and len(events) >= self._max_events:
            self.open = False
            self.trace.left_out = {"events": self._max_events, "line": self.script.line()}
        return not self.open
