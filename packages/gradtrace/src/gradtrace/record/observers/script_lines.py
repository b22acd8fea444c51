"""Traces the lines of the script: the names of tensors, and what a line has changed.

The functions of the script that autograd calls itself (the backward of a custom Function, a hook on
a node, an unpack hook) are recorded here too: they are registered where nothing can be wrapped.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import torch

from gradtrace.record.event_log import EventLog
from gradtrace.record.failure import Failure
from gradtrace.record.names import tensors_by_name
from gradtrace.record.observers.backward_passes import BackwardPasses
from gradtrace.record.observers.hooks import __file__ as hooks_file
from gradtrace.record.recording import Recording
from gradtrace.record.tensor_values import values_of
from gradtrace.trace import Event

_TOO_DEEP = Failure("RecursionError: with the recorder the script reaches it earlier than without")


class LineTracer:
    """A trace function for `sys.settrace`."""

    def __init__(self, recording: Recording, passes: BackwardPasses) -> None:
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._names = recording.changes, recording.names
        self._passes = passes

    def __call__(self, frame: FrameType, event: str, arg: Any):
        """Python calls this at each call of a function, and the result at each of its lines."""
        if frame.f_code.co_filename != self._log.script.file or not self._log.is_recording:
            return None
        call = None
        with self._log.suspended:
            if frame.f_code.co_name == "<module>":
                self._names.globals = frame.f_globals
            elif not self._log.passes:
                self._changes.record_changes(_line_of_caller(frame, self._log.script.file))
            elif self._called_by_autograd(frame):
                call = self._add_call(frame)
        return _FrameTracer(self, self._log, call).trace

    def line_ended(self, frame: FrameType, line: int) -> None:
        """A line of the script has been run: only now its tensors hold what it wrote."""
        if self._log.passes:
            return
        is_global = frame.f_locals is frame.f_globals
        for name, tensor in tensors_by_name(frame.f_locals):
            self._registry.add_name(tensor, name, is_global)
            self._changes.watch(tensor)
        self._changes.record_changes(line)
        if self._log.close_if_full():
            sys.settrace(None)

    def recursion_error(self) -> None:
        """The recorder takes a part of the depth that Python allows: the script gets less far."""
        if self._log.open and _TOO_DEEP not in self._log.suspended.errors:
            self._log.suspended.errors.append(_TOO_DEEP)

    def _called_by_autograd(self, frame: FrameType) -> bool:
        caller = frame.f_back.f_code.co_filename if frame.f_back else None
        return caller not in (hooks_file, self._log.script.file)

    def _add_call(self, frame: FrameType) -> Event:
        got = {name: thing for name, thing in frame.f_locals.items() if _holds_tensors(thing)}
        event = self._log.add(
            "call", fn=frame.f_code.co_name, n=self._passes.running_node(), got=values_of(got)
        )
        event["line"] = frame.f_code.co_firstlineno
        return event


class _FrameTracer:
    """Traces one call of one function. Keeps no frame: that would keep all its tensors.

    `call` is the event of the call, where autograd made it.
    """

    def __init__(self, tracer: LineTracer, log: EventLog, call: Event | None) -> None:
        self._tracer, self._log, self._call = tracer, log, call
        self._last: int | None = None

    def trace(self, frame: FrameType, event: str, arg: Any):
        if event == "exception" and issubclass(arg[0], RecursionError):
            self._tracer.recursion_error()
        if event in ("line", "return") and self._log.is_recording:
            with self._log.suspended:
                if self._last is not None:
                    self._tracer.line_ended(frame, self._last)
                if event == "return" and self._call is not None and arg is not None:
                    self._call["ret"] = values_of(arg)
            self._last = frame.f_lineno
        return self.trace


def _holds_tensors(thing: Any) -> bool:
    return isinstance(thing, (torch.Tensor, tuple))


def _line_of_caller(frame: FrameType, file: str) -> int | None:
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename != file:
        caller = caller.f_back
    return caller.f_lineno if caller else None
