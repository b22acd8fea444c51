"""Runs compiled code eagerly while it is recorded: torch.compile turns several operations into one
node of the graph, of which nothing more can be recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack

import torch
from torch import nn
from torch._dynamo import eval_frame
from torch.fx.experimental.proxy_tensor import _MakefxTracer

from gradtrace.recording.log import EventLog

TRACERS = (
    (torch.jit._trace, "_trace_impl"),
    (torch.jit._trace, "_get_trace_graph"),
    (torch.jit._trace, "trace_module"),
    (torch.jit, "trace_module"),
    (torch.fx.Tracer, "trace"),
    (_MakefxTracer, "trace"),
    (torch.export, "export"),
    (torch.export, "draft_export"),
    (torch._dynamo, "export"),
    (torch._dynamo, "explain"),
)
"""Functions that trace the script's code into a graph: they would trace a recorder too."""


class CompiledCode:
    """Runs compiled code eagerly, and notes in the trace that there was some."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def observe(self, until: ExitStack) -> None:
        """Run compiled code eagerly until the stack is closed; then restore the script's
        setting."""
        self._before = eval_frame._stance
        torch.compiler.set_stance("force_eager")
        self._eager = eval_frame._stance
        until.callback(self.compile)

    def compile(self) -> None:
        """Compile again, unless the script has set another stance."""
        if eval_frame._stance is self._eager:
            eval_frame._set_stance(self._before)

    def run_eagerly(self) -> None:
        """The opposite."""
        if eval_frame._stance is self._before:
            eval_frame._set_stance(self._eager)

    def wrap_callback(self, original: Callable) -> Callable:
        """The function that torch calls to get the compiler of the code that is called now."""

        @functools.wraps(original)
        def callback_from_stance(callback):
            if callback and self._log.is_recording:
                self._log.trace.eager = True
            return original(callback)

        return callback_from_stance


def wrap_initialize(call: Callable, original: Callable) -> Callable:
    """`OptimizedModule._initialize`, which stores the current `nn.Module.__call__`: with `call`,
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
