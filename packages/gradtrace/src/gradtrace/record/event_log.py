"""What has been recorded so far, and whether recording goes on."""

from __future__ import annotations

import platform
import threading

import torch

from gradtrace.model import Event, Trace
from gradtrace.record.source import Script
from gradtrace.record.suspend import Aside


class Log:
    """The recording in the making. Every part of the recorder writes into the same one."""

    def __init__(self, script: Script, source: str, most: int) -> None:
        python = ".".join(platform.python_version_tuple()[:2])
        self.trace = Trace(torch.__version__.partition("+")[0], python, source)
        self.script = script
        self.aside = Aside()
        self.passes: list[int] = []
        """The backward passes that are running now, the innermost last."""
        self.open = False
        self._most = most
        self._thread = threading.get_ident()

    @property
    def listens(self) -> bool:
        """Whether what happens now belongs into the recording: the recorder is not at work itself,
        and the script runs in the thread that is recorded."""
        return self.open and not self.aside.active and threading.get_ident() == self._thread

    def event(self, k: str, **fields: object) -> Event:
        """Note an event at the line at which the script stands, and give it for more to be said."""
        event = Event(k=k, line=self.script.line(), **fields)
        self.trace.events.append(event)
        return event

    def full(self) -> bool:
        """Close the recording if it holds enough: between two passes, so that none is halved."""
        events = self.trace.events
        if self.open and not self.passes and len(events) >= self._most:
            self.open = False
            self.trace.left_out = {"events": self._most, "line": self.script.line()}
        return not self.open
