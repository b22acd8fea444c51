"""Has compiled code run eagerly while it is recorded: what torch.compile makes of some operations
is one node of the graph, which tells nothing of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack

import torch
from torch import nn
from torch._dynamo import eval_frame

from gradtrace.recording.event_log import EventLog


class CompiledCode:
    """Runs compiled code eagerly, and notes in the trace that there was some."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def observe(self, until: ExitStack) -> None:
        """Run what is compiled eagerly until the stack is closed; from then on as the script has
        it."""
        before = eval_frame._stance
        torch.compiler.set_stance("force_eager")
        eager = eval_frame._stance

        def restore() -> None:
            if eval_frame._stance is eager:  # unless the script has set another one
                eval_frame._set_stance(before)

        until.callback(restore)

    def wrap_callback(self, original: Callable) -> Callable:
        """The function of torch that is asked what compiles the code that is called now."""

        @functools.wraps(original)
        def callback_from_stance(callback):
            if callback and self._log.is_recording:
                self._log.trace.eager = True
            return original(callback)

        return callback_from_stance


def wrap_initialize(call: Callable, original: Callable) -> Callable:
    """`OptimizedModule._initialize`, which keeps what `nn.Module.__call__` is at the time: `call`,
    the one without recording, which is compiled once the recording has ended."""

    @functools.wraps(original)
    def initialize(module: nn.Module) -> None:
        recorded = nn.Module.__call__
        nn.Module.__call__ = call
        try:
            original(module)
        finally:
            nn.Module.__call__ = recorded

    return initialize
