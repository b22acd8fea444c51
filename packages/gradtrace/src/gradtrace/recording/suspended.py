"""Suspends recording, and all that watches the script, while the recorder itself uses torch."""

from __future__ import annotations

import contextlib
import sys
import threading

import torch
from torch._C import _functorch as functorch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils import _python_dispatch as dispatch
from torch.utils.hooks import RemovableHandle

from gradtrace.recording.failure import Failure, failure_of_recorder

_FIRST_ID = 10**9
_TRACING_IS_SET_FAST = sys.version_info < (3, 12)
"""Since Python 3.12 all code is changed by it; the tracing of a function costs less than before."""


class SuspendedRecording:
    """`with suspended:` around everything that the recorder does while the script runs.

    Within it no function mode, dispatch mode or transform of the script is active, nothing is
    added to a graph, no profiler sees an operation, and no function is traced. An error does not go
    out into the script: it is added to `errors`, and fails the recording at its end.
    """

    def __init__(self) -> None:
        self.errors: list[Failure] = []
        self._local = _OfThread()

    @property
    def active(self) -> bool:
        """Whether the recorder itself is at work, in this thread."""
        return self._local.depth > 0

    @property
    def script_makes_graph(self) -> bool:
        """While the recorder is at work: whether gradients are on for the script."""
        return self._local.grad

    def __enter__(self) -> None:
        local = self._local
        local.depth += 1
        if local.depth > 1:
            return
        # Plain calls, no context managers: this is run some hundred times for each small script.
        local.modes = torch._C.DisableTorchFunction()
        local.modes.__enter__()
        local.transforms = _disable_transforms()
        local.grad = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)
        torch.autograd._enable_record_function(False)
        if _TRACING_IS_SET_FAST:  # at last: until here the script may be too deep in calls
            local.trace = sys.gettrace()
            sys.settrace(None)

    def __exit__(self, _: type | None, error: BaseException | None, __: object) -> bool:
        local = self._local
        if local.depth > 1:
            local.depth -= 1
            return False
        if _TRACING_IS_SET_FAST:
            sys.settrace(local.trace)
        torch.autograd._enable_record_function(True)
        torch._C._set_grad_enabled(local.grad)
        if local.transforms:
            local.transforms.close()
        local.modes.__exit__(None, None, None)
        local.modes = local.transforms = None
        local.depth = 0  # at last, as a signal may have the script run in between
        if isinstance(error, Exception):
            self.errors.append(failure_of_recorder(error))
            return True
        return False


class _OfThread(threading.local):
    """How a thread of the script was before the recorder went to work in it."""

    depth = 0
    modes = transforms = trace = None
    grad = True


class OwnHandleIds:
    """`with ids:` around the registering of the recorder's hooks, which takes their ids from far
    away: a script that prints the ids of its own hooks prints what it would without a recorder."""

    def __init__(self) -> None:
        self._next = _FIRST_ID

    def __enter__(self) -> None:
        self._kept = RemovableHandle.next_id
        RemovableHandle.next_id = self._next

    def __exit__(self, *_: object) -> None:
        self._next, RemovableHandle.next_id = RemovableHandle.next_id, self._kept


def _disable_transforms() -> contextlib.ExitStack | None:
    """Turn off torch.func transforms and dispatch modes, where there are any."""
    transforms = functorch.peek_interpreter_stack() is not None
    modes = dispatch._len_torch_dispatch_stack()
    if not transforms and not modes:
        return None
    stack = contextlib.ExitStack()
    if transforms:
        stack.enter_context(temporarily_clear_interpreter_stack())
    if modes:
        stack.enter_context(dispatch._disable_current_modes())
    return stack
