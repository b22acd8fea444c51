"""Records one run of a script: puts the observers in place, and takes them away again.

    recorder = Recorder(path)
    with recorder:
        ...                     # run the script, unchanged, as `__main__`
    recorder.trace()

Imports torch: only the process that runs the script may import this module.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch
from torch import nn
from torch.nn.modules import module as modules

from gradtrace.record.event_log import EventLog
from gradtrace.record.execute import execute
from gradtrace.record.failure import (
    Failure,
    failure_of_recorder,
    format_failure,
    is_of_recorder,
)
from gradtrace.record.names import ScriptNames
from gradtrace.record.observers.backward_passes import BackwardPasses
from gradtrace.record.observers.function_mode import MODULES_WITH_FAST_PATH, wrap_fast_path
from gradtrace.record.observers.hooks import ON_ALL_MODULES, ON_MODULES, ON_OPTIMIZERS, ScriptHooks
from gradtrace.record.observers.leaf_changes import LeafChanges
from gradtrace.record.observers.operations import Operations
from gradtrace.record.observers.optimizers import OptimizerSteps
from gradtrace.record.observers.printed_output import PrintedOutput
from gradtrace.record.observers.script_lines import LineTracer
from gradtrace.record.recording import Recording
from gradtrace.record.registry import GraphRegistry
from gradtrace.record.script_position import ScriptPosition, line_in_script
from gradtrace.record.suspended import OwnHandleIds
from gradtrace.trace import Trace, format_trace

MAX_EVENTS = 3000
"""Recording stops after so many events, at the end of a backward pass."""
SEED = 0
"""torch is seeded with this before the script runs, so that each recording is the same."""
_LOST_LINES = Failure(
    "the lines of the script could no longer be followed: it ran into the recursion limit, of "
    "which the recorder takes a part, or it set a trace function of its own"
)


class RecordingFailed(RuntimeError):
    """The recorder has failed, not the script."""


class Recorder:
    """Records what happens within `with recorder:`, where the script is run."""

    def __init__(self, path: str | Path, max_events: int = MAX_EVENTS) -> None:
        self._path = Path(path)
        source = self._path.read_text(encoding="utf-8")
        self._log = log = EventLog(ScriptPosition(str(path), source), source, max_events)
        self._registry = registry = GraphRegistry(log.trace)
        changes = LeafChanges(log, registry)
        recording = Recording(log, registry, changes, ScriptNames(), OwnHandleIds())
        self._passes = BackwardPasses(recording)
        self._steps = OptimizerSteps(recording)
        self._hooks = ScriptHooks(recording, self._passes, self._steps)
        self._operations = Operations(recording, self._hooks.on_tensor)
        self._lines = LineTracer(recording, self._passes)
        self._output = PrintedOutput(log)
        self._undo = ExitStack()
        self._finished = False

    def __enter__(self) -> None:
        try:
            self._observe()
        except Exception as error:
            self._undo.close()
            self._log.suspended.errors.append(failure_of_recorder(error))
            raise RecordingFailed(self._message()) from error
        self._log.open = True
        sys.settrace(self._lines)

    def _observe(self) -> None:
        hooks, steps = self._hooks, self._steps
        self._patch(torch.autograd, "_engine_run_backward", self._passes.wrap_engine)
        self._patch(torch.autograd.Function, "apply", _of_class(self._operations.wrap_apply))
        for name, kind in ON_MODULES.items():
            self._patch(nn.Module, name, lambda f, kind=kind: hooks.on_module(f, kind))
        for name, kind in ON_ALL_MODULES.items():
            self._patch(modules, name, lambda f, kind=kind: hooks.on_all_modules(f, kind))
        for name, kind in ON_OPTIMIZERS.items():
            self._patch(
                torch.optim.Optimizer, name, lambda f, kind=kind: hooks.on_optimizer(f, kind)
            )
        self._patch(torch.autograd.graph, "register_multi_grad_hook", hooks.on_several_tensors)
        self._patch(torch.optim.Optimizer, "zero_grad", steps.wrap_zero_grad)
        self._patch(nn.Module, "zero_grad", steps.wrap_zero_grad)
        for kind in MODULES_WITH_FAST_PATH:
            self._patch(kind, "forward", lambda f: wrap_fast_path(self._operations, f))
        steps.observe(self._undo)
        self._output.observe(sys.stdout, self._undo)
        self._undo.enter_context(self._operations)
        self._undo.callback(sys.settrace, sys.gettrace())
        torch.manual_seed(SEED)

    def __exit__(self, _: type | None, error: BaseException | None, __: object) -> None:
        if error is not None and is_of_recorder(error):
            self._log.suspended.errors.append(failure_of_recorder(error))
        elif isinstance(error, Exception) and self._log.open:
            with self._log.suspended:
                self._passes.add_error(error)
                line = line_in_script(error, self._log.script.file)
                self._log.trace.events[-1]["line"] = line
        if sys.gettrace() is not self._lines and self._log.open:
            self._log.suspended.errors.append(_LOST_LINES)
        self._log.open = False
        self._undo.close()
        self.finish()

    def trace(self) -> Trace:
        """The trace; raises `RecordingFailed` if anything went wrong with it."""
        if self._log.suspended.errors:
            raise RecordingFailed(self._message())
        return self._log.trace

    @property
    def passes(self) -> int:
        """How many backward passes have begun."""
        return self._passes.count

    def finish(self) -> None:
        """End the recording, once. From another thread: the script must not go on after it."""
        self._log.open = False
        if not self._finished:
            self._finished = True
            self._registry.finish()

    def failure(self) -> Failure | None:
        """Why there is no trace; a fault of the recorder before what the script brought about."""
        errors = list(dict.fromkeys(self._log.suspended.errors))
        if fault := next((failure for failure in errors if failure.file), None):
            return fault
        return Failure("\n".join(failure.found for failure in errors)) if errors else None

    def save(self, file: str) -> None:
        """Write the trace, or the failure because of which there is none, to `file`."""
        failure = self.failure()
        text = format_failure(failure) if failure else format_trace(self._log.trace)
        Path(file).write_text(text, encoding="utf-8", newline="\n")

    def _message(self) -> str:
        return f"the recorder failed on {self._path}:\n{self.failure()}"

    def _patch(self, owner: object, name: str, wrap: Callable[[Callable], object]) -> None:
        original = vars(owner)[name]
        setattr(owner, name, wrap(original))
        self._undo.callback(setattr, owner, name, original)


def record_script(path: str | Path) -> Trace:
    """Run a script in this process, unchanged, and give its trace.

    An error of the script is part of the trace. Raises `RecordingFailed` where the recorder fails.
    """
    recorder = Recorder(path)
    main = sys.modules["__main__"]
    try:
        with contextlib.suppress(Exception), recorder:
            execute(str(path))
    finally:
        sys.modules["__main__"] = main
    return recorder.trace()


def _of_class(wrap: Callable) -> Callable:
    """The same for a class method, which is found wrapped in its class.

    Written in Python it is a `classmethod`, written in C (since torch 2.14) it has no `__func__`;
    both are bound to a class in the same way.
    """

    def wrapped(original) -> object:
        return wrap(lambda cls, *args, **kwargs: original.__get__(None, cls)(*args, **kwargs))

    return wrapped
