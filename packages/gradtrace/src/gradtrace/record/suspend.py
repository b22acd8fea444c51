"""The recorder's own work, which the script and what watches it must not notice."""

from __future__ import annotations

import contextlib
import threading
import traceback
from pathlib import Path

import torch
from torch._C import _functorch as functorch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils import _python_dispatch as dispatch
from torch.utils.hooks import RemovableHandle

_HERE = str(Path(__file__).parent)
_FAR = 10**9


class Aside:
    """`with aside:` around everything that the recorder does while the script runs.

    Within it no function mode, dispatch mode or transform of the script is active, nothing is
    added to a graph, and no profiler sees an operation. An error does not go out into the script:
    it is noted in `problems`, and fails the recording at its end.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._mine = threading.local()

    @property
    def active(self) -> bool:
        """Whether the recorder itself is at work, in this thread."""
        return getattr(self._mine, "depth", 0) > 0

    def __enter__(self) -> None:
        mine = self._mine
        mine.depth = getattr(mine, "depth", 0) + 1
        if mine.depth > 1:
            return
        # Plain calls, no context managers: this is run some hundred times for each small script.
        mine.modes = torch._C.DisableTorchFunction()
        mine.modes.__enter__()
        mine.transforms = _transforms_off()
        mine.grad = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)
        torch.autograd._enable_record_function(False)

    def __exit__(self, _: type | None, error: BaseException | None, __: object) -> bool:
        mine = self._mine
        mine.depth -= 1
        if mine.depth:
            return False
        torch.autograd._enable_record_function(True)
        torch._C._set_grad_enabled(mine.grad)
        if mine.transforms:
            mine.transforms.close()
        mine.modes.__exit__(None, None, None)
        mine.modes = mine.transforms = None
        if isinstance(error, Exception):
            self.problems.append(_told(error))
            return True
        return False


def _transforms_off() -> contextlib.ExitStack | None:
    """Turn off what torch.func transforms and dispatch modes do, where there are any."""
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


class OwnHandles:
    """`with handles:` around the registering of our hooks. Their ids are taken from far away: a
    script that prints its own hooks with their ids sees those that it would see without us."""

    def __init__(self) -> None:
        self._next = _FAR

    def __enter__(self) -> None:
        self._kept = RemovableHandle.next_id
        RemovableHandle.next_id = self._next

    def __exit__(self, *_: object) -> None:
        self._next, RemovableHandle.next_id = RemovableHandle.next_id, self._kept


def _told(error: Exception) -> str:
    """The error in one line, with the place in the recorder where it arose; holds no frame."""
    places = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(_HERE)]
    where = f" ({Path(places[-1].filename).name}:{places[-1].lineno})" if places else ""
    return f"{type(error).__name__}: {error}{where}"
