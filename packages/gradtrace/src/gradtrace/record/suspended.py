"""Suspends recording, and all that watches the script, while the recorder itself uses torch."""

from __future__ import annotations

import contextlib
import threading

import torch
from torch._C import _functorch as functorch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils import _python_dispatch as dispatch
from torch.utils.hooks import RemovableHandle

from gradtrace.record.failure import Failure, failure_of_recorder

_FIRST_ID = 10**9


class SuspendedRecording:
    """`with suspended:` around everything that the recorder does while the script runs.

    Within it no function mode, dispatch mode or transform of the script is active, nothing is
    added to a graph, and no profiler sees an operation. An error does not go out into the script:
    it is added to `errors`, and fails the recording at its end.
    """

    def __init__(self) -> None:
        self.errors: list[Failure] = []
        self._local = threading.local()

    @property
    def active(self) -> bool:
        """Whether the recorder itself is at work, in this thread."""
        return getattr(self._local, "depth", 0) > 0

    def __enter__(self) -> None:
        local = self._local
        local.depth = getattr(local, "depth", 0) + 1
        if local.depth > 1:
            return
        # Plain calls, no context managers: this is run some hundred times for each small script.
        local.modes = torch._C.DisableTorchFunction()
        local.modes.__enter__()
        local.transforms = _disable_transforms()
        local.grad = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)
        torch.autograd._enable_record_function(False)

    def __exit__(self, _: type | None, error: BaseException | None, __: object) -> bool:
        local = self._local
        local.depth -= 1
        if local.depth:
            return False
        torch.autograd._enable_record_function(True)
        torch._C._set_grad_enabled(local.grad)
        if local.transforms:
            local.transforms.close()
        local.modes.__exit__(None, None, None)
        local.modes = local.transforms = None
        if isinstance(error, Exception):
            self.errors.append(failure_of_recorder(error))
            return True
        return False


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
