"""The trace while it is being recorded, and whether recording goes on."""

from __future__ import annotations

import platform
import threading
from collections.abc import Callable

import torch
from torch.utils import _python_dispatch as dispatch

from gradtrace.recording.script_position import Place, ScriptPosition
from gradtrace.recording.suspended import SuspendedRecording
from gradtrace.trace import Event, Trace

_BEFORE_FIRST_PASS = 20
"""Times as many events are recorded if there was no backward pass yet."""
_TRACING_MODES = (
    torch._C._TorchDispatchModeKey.PROXY,
    torch._C._TorchDispatchModeKey.FUNCTIONAL,
)


class EventLog:
    """The trace being recorded; all observers share one. `max_events`: recording ends after it, or
    else what is older is forgotten, where `forget` is set."""

    def __init__(self, script: ScriptPosition, source: str, max_events: int) -> None:
        python = ".".join(platform.python_version_tuple()[:2])
        self.script = script
        version = torch.__version__.partition("+")[0]
        self.trace = Trace(version, python, source, sources=script.sources)
        self.suspended = SuspendedRecording()
        self.passes: list[int] = []
        """The backward passes that are running now, the innermost last."""
        self.torch_calls = 0
        """How many calls of torch gave or changed a tensor so far."""
        self.open = self.aside = False
        self.forget: Callable[[int], None] | None = None
        self._max_events = max_events
        self._begun = False
        self._thread = threading.get_ident()

    @property
    def is_recording(self) -> bool:
        """Whether what happens now is recorded: the recorder is not at work itself and does not
        stand aside, this is the thread in which recording began, and torch runs the script rather
        than making a graph of it."""
        return (
            self.open
            and not (self.aside or self.suspended.active)
            and self.is_recorded_thread
            and not _is_traced()
        )

    @property
    def is_recorded_thread(self) -> bool:
        """Whether this is the thread in which recording began."""
        return threading.get_ident() == self._thread

    def add(self, k: str, place: Place | None = None, **fields: object) -> Event:
        """Add an event at the present line of the user's code, or at `place`; gives it, to be
        completed."""
        self._begun = self._begun or k == "backward"
        event = Event(k=k, **(place or self.script.place()), **fields)
        self.trace.events.append(event)
        return event

    def close_if_full(self) -> bool:
        """Close the log if it holds enough events, between two passes, so that none is cut in half;
        gives whether it is closed."""
        events = self.trace.events
        if self.forget is not None:
            if self.open and not self.passes:
                self.forget(self._max_events)
            return not self.open
        # A long forward pass says nothing before a backward pass has run through it.
        most = self._max_events * (1 if self._begun else _BEFORE_FIRST_PASS)
        if self.open and not self.passes and len(events) >= most:
            self.open = False
            self.trace.left_out = {"events": len(events), "line": self.script.line()}
        return not self.open


def _is_traced() -> bool:
    """Whether operations are put into a graph: by torch.jit.trace, make_fx, or aot_autograd."""
    traced = torch._C._get_tracing_state() is not None
    if not traced and dispatch._len_torch_dispatch_stack():
        traced = any(torch._C._get_dispatch_mode(key) is not None for key in _TRACING_MODES)
    return traced
