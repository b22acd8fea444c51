"""Traces the lines of the script: the names of tensors, and the changes made by a line.

The functions of the script that autograd calls itself (the backward of a custom Function, a hook on
a node, an unpack hook) are recorded here too: they are registered where nothing can be wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import CodeType, FrameType
from typing import Any, TextIO

import torch
from torch import nn

from gradtrace.recording.backward_passes import BackwardPasses
from gradtrace.recording.hooks import __file__ as hooks_file
from gradtrace.recording.log import EventLog, Recording
from gradtrace.recording.names import TensorNames
from gradtrace.recording.position import Place
from gradtrace.recording.script import Failure
from gradtrace.trace import Event


class PrintedOutput:
    """Records the texts that are written to a stream."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def observe(self, stream: TextIO, until: ExitStack) -> None:
        """Record what is written to `stream` until the stack is closed. The stream stays the same
        object; only its method `write` is wrapped."""
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


_LOOKS = 16
"""The number of times a line is examined even if nothing shows that it has changed anything;"""
_COMPARISONS = 4
"""... the number of times all leaves are compared."""
_TOO_DEEP = Failure("RecursionError: with the recorder the script reaches it earlier than without")


class LineTracer:
    """A trace function for `sys.settrace`.

    A line is examined after it has run if torch was called since the last look, and in any case the
    first times that it runs. Recording adds almost no cost to other lines.
    """

    def __init__(
        self,
        recording: Recording,
        tensor_names: TensorNames,
        passes: BackwardPasses,
        when_full: Callable[[], None],
    ) -> None:
        self.when_full = when_full
        self._log, self._registry = recording.log, recording.registry
        self.changes, self._names = recording.changes, recording.names
        self._values = recording.values
        self._tensor_names, self._passes = tensor_names, passes
        self._looks: dict[tuple[CodeType, int], int] = {}
        self._searched_in = 0
        self._joined: dict[int, tuple[Callable, Callable | None]] = {}
        """By the id of a frame: its current trace function, and the previous one."""

    def __call__(self, frame: FrameType, event: str, arg: Any):
        """Python calls this at each call of a function, and the result at each of its lines."""
        script = self._log.script
        if script.files[frame.f_code.co_filename] is None or not self._log.is_recording:
            return None
        call = None
        if frame.f_code.co_name == "<module>":
            if frame.f_code.co_filename == script.file:
                self._names.globals = frame.f_globals
        elif not self._log.passes:
            self._function_called(frame)
        elif self._called_by_autograd(frame):
            with self._log.suspended:
                got = {n: x for n, x in frame.f_locals.items() if isinstance(x, _MAY_HOLD_TENSORS)}
                defined = script.place_in(frame.f_code, frame.f_code.co_firstlineno)
                about = {"n": self._passes.running_node(), "got": self._values.values_of(got)}
                call = self._log.add("call", defined, fn=frame.f_code.co_name, **about)
        return _FrameTracer(self, self._log, call).trace

    def join(self, model: nn.Module | None) -> None:
        """Trace the functions of the script that are already running, too, and name the parameters
        of a model, which may have no name where it is used."""
        self._log.script.look_around()
        for frame in reversed(self._log.script.frames()):
            if frame.f_code.co_filename == self._log.script.file:
                self._names.globals = frame.f_globals
            self.line_ended(frame, frame.f_lineno, 0)
            joined = _FrameTracer(self, self._log, None).trace
            self._joined[id(frame)] = joined, frame.f_trace
            frame.f_trace = joined
        if model is not None:
            name = self._names.give_name(model, "model")
            self._note_tensors({name: model}, is_global=True)

    def leave(self) -> None:
        """Stop tracing the joined functions, and restore their previous trace functions."""
        for frame in self._log.script.frames():
            joined, before = self._joined.pop(id(frame), (None, None))
            if joined is not None and frame.f_trace == joined:
                frame.f_trace = before

    def _function_called(self, frame: FrameType) -> None:
        looks = self.count_look(frame.f_code, 0)
        arguments = [
            (name, thing)
            for name, thing in frame.f_locals.items()
            if issubclass(type(thing), torch.Tensor)
        ]
        if not (arguments or looks < _COMPARISONS or self.changes.any_due):
            return
        with self._log.suspended:
            self._record_changes(self._log.script.place_of_caller(frame), looks)
            for name, tensor in arguments:
                self._registry.note_argument(tensor, name)

    def count_look(self, code: CodeType, line: int) -> int:
        """How often a line was examined before, or might have been; up to a maximum."""
        looks = self._looks.get((code, line), 0)
        if looks < _LOOKS:
            self._looks[code, line] = looks + 1
        return looks

    def line_ended(self, frame: FrameType, line: int, looks: int) -> None:
        """A line of the script has run: only now do its tensors hold its results. `looks`: how
        often it was examined before."""
        if self._log.passes:
            return
        if self._searched_in != self._passes.count:
            self._searched_in = self._passes.count
            self._tensor_names.search_again()
        is_global = frame.f_locals is self._names.globals
        self._note_tensors(frame.f_locals, is_global, often=looks == _LOOKS)
        self._record_changes(self._log.script.place_in(frame.f_code, line), looks)
        self._log.close_if_full()

    def _note_tensors(
        self, namespace: Mapping[str, Any], is_global: bool, often: bool = False
    ) -> None:
        for name, tensor in self._tensor_names.new(namespace, is_global, often):
            self._registry.add_name(tensor, name, is_global)
            self.changes.watch(tensor)

    def _record_changes(self, place: Place, looks: int) -> None:
        if looks < _COMPARISONS:
            self.changes.record_changes(place)
        else:
            self.changes.record_due(place)

    def _called_by_autograd(self, frame: FrameType) -> bool:
        caller = frame.f_back.f_code if frame.f_back else None
        if caller is None:
            return True
        return caller.co_filename != hooks_file and not self._log.script.is_own(caller)

    def note_returned(self, call: Event, result: Any) -> None:
        """A function that autograd called has returned."""
        self._values.forget()
        call["ret"] = self._values.values_of(result)


_MAY_HOLD_TENSORS = (torch.Tensor, tuple)


class _FrameTracer:
    """Traces one call of one function. Holds no frame: that would keep all its tensors alive.

    `call` is the event of the call, if autograd made it.
    """

    def __init__(self, tracer: LineTracer, log: EventLog, call: Event | None) -> None:
        self._tracer, self._log, self._call = tracer, log, call
        self._last: int | None = None
        self._calls_seen = -1

    def trace(self, frame: FrameType, event: str, arg: Any):
        # Before Python 3.13 a frame caches its locals, and restores them after this call: they
        # must be current.
        frame.f_locals  # noqa: B018
        if event == "line" or event == "return":
            if self._log.is_recording:
                self._look(frame, event, arg)
                self._last = frame.f_lineno
            if not self._log.open and not self._log.suspended.active:
                self._tracer.when_full()
        elif event == "exception" and issubclass(arg[0], RecursionError):
            # The recorder takes a part of Python's recursion depth: the script gets less.
            errors = self._log.suspended.errors
            if self._log.open and _TOO_DEEP not in errors:
                errors.append(_TOO_DEEP)
        return self.trace

    def _look(self, frame: FrameType, event: str, arg: Any) -> None:
        if self._last is not None:
            looks = self._tracer.count_look(frame.f_code, self._last)
            calls = self._log.torch_calls
            if looks < _LOOKS or calls != self._calls_seen or self._tracer.changes.any_due:
                self._calls_seen = calls
                with self._log.suspended:
                    self._tracer.line_ended(frame, self._last, looks)
        if event == "return" and self._call is not None and arg is not None:
            with self._log.suspended:
                self._tracer.note_returned(self._call, arg)
