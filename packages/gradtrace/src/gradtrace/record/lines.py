"""Follows the script line by line: the names of tensors, and what has changed at the end of a line.

The functions of the script that autograd calls itself (the backward of a custom Function, a hook on
a node, an unpack hook) are seen here too: they are registered where nothing can be replaced.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import torch

from gradtrace.model import Event
from gradtrace.record.backward import Passes
from gradtrace.record.event_log import Log
from gradtrace.record.hooks import __file__ as hooks_file
from gradtrace.record.leaf_changes import Changes
from gradtrace.record.names import Names, tensors_by_name
from gradtrace.record.registry import Graph
from gradtrace.record.values import values_of

TOO_DEEP = "RecursionError: with the recorder the script reaches it earlier than without"


class Lines:
    """A trace function for `sys.settrace`."""

    def __init__(
        self, log: Log, graph: Graph, changes: Changes, names: Names, passes: Passes
    ) -> None:
        self._log, self._graph, self._changes = log, graph, changes
        self._names, self._passes = names, passes

    def __call__(self, frame: FrameType, event: str, arg: Any):
        """Python calls this at each call of a function, and the result at each of its lines."""
        if frame.f_code.co_filename != self._log.script.file or not self._log.listens:
            return None
        told = None
        with self._log.aside:
            if frame.f_code.co_name == "<module>":
                self._names.globals = frame.f_globals
            elif not self._log.passes:
                self._changes.look(_line_of_caller(frame, self._log.script.file))
            elif self._called_by_autograd(frame):
                told = self._call(frame)
        return _Lines(self, told).follow

    def line_ended(self, frame: FrameType, line: int) -> None:
        """A line of the script has been run: only now its tensors hold what it wrote."""
        if self._log.passes:
            return
        everywhere = frame.f_locals is frame.f_globals
        for name, tensor in tensors_by_name(frame.f_locals):
            self._graph.named(tensor, name, everywhere)
            self._changes.watch(tensor)
        self._changes.look(line)
        if self._log.full():
            sys.settrace(None)

    def too_deep(self) -> None:
        """We take up a part of the depth that Python allows: the script gets less far."""
        if self._log.open and TOO_DEEP not in self._log.aside.problems:
            self._log.aside.problems.append(TOO_DEEP)

    def listens(self) -> bool:
        return self._log.listens

    def aside(self):
        return self._log.aside

    def _called_by_autograd(self, frame: FrameType) -> bool:
        caller = frame.f_back.f_code.co_filename if frame.f_back else None
        return caller not in (hooks_file, self._log.script.file)

    def _call(self, frame: FrameType) -> Event:
        got = {name: thing for name, thing in frame.f_locals.items() if _holds_tensors(thing)}
        event = self._log.event(
            "call", fn=frame.f_code.co_name, n=self._passes.at(), got=values_of(got)
        )
        event["line"] = frame.f_code.co_firstlineno
        return event


class _Lines:
    """Follows one call of one function. Keeps no frame: that would keep all its tensors."""

    def __init__(self, lines: Lines, told: Event | None) -> None:
        self._lines, self._told = lines, told
        self._last: int | None = None

    def follow(self, frame: FrameType, event: str, arg: Any):
        if event == "exception" and issubclass(arg[0], RecursionError):
            self._lines.too_deep()
        if event in ("line", "return") and self._lines.listens():
            with self._lines.aside():
                if self._last is not None:
                    self._lines.line_ended(frame, self._last)
                if event == "return" and self._told is not None and arg is not None:
                    self._told["ret"] = values_of(arg)
            self._last = frame.f_lineno
        return self.follow


def _holds_tensors(thing: Any) -> bool:
    return isinstance(thing, (torch.Tensor, tuple))


def _line_of_caller(frame: FrameType, file: str) -> int | None:
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename != file:
        caller = caller.f_back
    return caller.f_lineno if caller else None
