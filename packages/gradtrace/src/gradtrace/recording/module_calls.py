"""Records the calls of modules, and the one in which the script currently is."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import CodeType

from torch import nn

from gradtrace.recording.log import EventLog
from gradtrace.recording.names import ModuleNames, unwrapped
from gradtrace.trace import Call


@dataclass
class _Running:
    """A running call. `by_wrapper`: a wrapper was called, which has not called its module yet."""

    key: str
    module: nn.Module
    by_wrapper: bool


class ModuleCalls:
    """Records each call of a module, which all go through `nn.Module.__call__`.

    A wrapper (DataParallel, what torch.compile returns) stands for the module in it: both together
    are one call.
    """

    def __init__(self, log: EventLog, names: ModuleNames) -> None:
        self._log, self._names = log, names
        self._running: list[_Running] = []
        self._numbers = itertools.count()
        self._wrapper: CodeType | None = None

    def keep(self, keys: set[str]) -> None:
        """Discard all calls except these, the running ones, and their callers."""
        calls, kept = self._log.trace.calls, set()
        waiting = [key for key in keys if key in calls] + [call.key for call in self._running]
        while waiting:
            kept.add(key := waiting.pop())
            if (outer := calls[key].get("within", key)) not in kept:
                waiting.append(outer)
        for key in calls.keys() - kept:
            del calls[key]

    def innermost(self) -> str | None:
        """The key of the innermost call that is running."""
        return self._running[-1].key if self._running else None

    def wrap_call(
        self, original: Callable, with_hooks: Callable[[nn.Module], AbstractContextManager]
    ) -> Callable:
        """`nn.Module.__call__`, with recording; `with_hooks` has the module's hooks recorded."""

        @functools.wraps(original)
        def call(module: nn.Module, *args, **kwargs):
            if not self._log.is_recording:
                return original(module, *args, **kwargs)
            with with_hooks(module):
                if self._is_called_by_wrapper(module):
                    return original(module, *args, **kwargs)
                depth = len(self._running)
                with self._log.suspended:
                    self._begin(module)
                try:
                    return original(module, *args, **kwargs)
                finally:
                    del self._running[depth:]

        self._wrapper = call.__code__
        return call

    def failed_call(self, error: BaseException) -> str | None:
        """The key of the innermost call that an error passed through: the last one begun at its
        depth."""
        depth, entry = None, error.__traceback__
        while entry is not None:
            if entry.tb_frame.f_code is self._wrapper:
                depth = entry.tb_frame.f_locals.get("depth", depth)
            entry = entry.tb_next
        calls = self._log.trace.calls
        return next((key for key in reversed(calls) if _depth(calls, key) == depth), None)

    def _is_called_by_wrapper(self, module: nn.Module) -> bool:
        last = self._running[-1] if self._running else None
        if last is None or not last.by_wrapper or last.module is not unwrapped(module):
            return False
        last.by_wrapper = module is not last.module  # a wrapper may be in another one
        return True

    def _begin(self, called: nn.Module) -> None:
        module = unwrapped(called)
        calls = self._log.trace.calls
        outer = self._running[0].module if self._running else None
        call = Call(
            path=self._names.of_module(module, outer),
            kind=type(module).__name__,
            **self._log.script.place(),
        )
        if self._log.passes:
            call["p"] = self._log.passes[-1]
        if self._running:
            call["within"] = self._running[-1].key
        key = f"c{next(self._numbers)}"
        calls[key] = call
        self._running.append(_Running(key, module, module is not called))


def _depth(calls: Mapping[str, Call], key: str) -> int:
    """The number of calls around a call."""
    depth = 0
    while "within" in calls[key]:
        key, depth = calls[key]["within"], depth + 1
    return depth
