"""Records one run of a script: installs the observers, and removes them again.

    recorder = Recorder(path)
    with recorder:
        ...                     # run the script, unchanged, as `__main__`
    recorder.trace()

Imports torch: only the process that runs the script may import this module.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FunctionType

import torch
from torch import nn
from torch._dynamo import eval_frame
from torch._dynamo.eval_frame import OptimizedModule
from torch.nn.modules import module as modules

from gradtrace.recording.backward_passes import BackwardPasses
from gradtrace.recording.health import Health
from gradtrace.recording.hooks import (
    ON_ALL_MODULES,
    ON_MODULES,
    ON_OPTIMIZERS,
    ScriptHooks,
)
from gradtrace.recording.leaf_changes import LeafChanges
from gradtrace.recording.log import EventLog, OwnHandleIds, Recording
from gradtrace.recording.names import ModuleCalls, ModuleNames, TensorNames
from gradtrace.recording.operations import (
    MODULES_WITH_FAST_PATH,
    TRACERS,
    CompiledCode,
    Operations,
    push_outermost,
    take_away,
    wrap_fast_path,
    wrap_initialize,
)
from gradtrace.recording.optimizers import OptimizerSteps
from gradtrace.recording.position import ScriptPosition, calling_frame, cell_name, text_of
from gradtrace.recording.registry import GraphRegistry
from gradtrace.recording.script import (
    Failure,
    execute,
    failure_of_recorder,
    format_failure,
    hide_recorder,
    is_of_recorder,
)
from gradtrace.recording.script_lines import LineTracer, PrintedOutput
from gradtrace.recording.tensor_values import ValueReader
from gradtrace.trace import Trace, format_trace

_KEPT = 2
"""The fewest optimizer steps that are retained; without any, the fewest passes."""


class RecentEvents:
    """Discards what came before the last steps of a trace, each time that it has grown much."""

    def __init__(self, trace: Trace, registry: GraphRegistry, calls: ModuleCalls) -> None:
        self._trace, self._registry, self._calls = trace, registry, calls
        self._next = 0

    def forget(self, most: int) -> None:
        """Discard the older events, if there are `most`, or twice as many as were last retained."""
        events = self._trace.events
        if len(events) < max(most, self._next):
            return
        cut = 0
        for kind in ("step", "backward_end"):
            ends = [index for index, event in enumerate(events) if event["k"] == kind]
            if not cut and len(ends) > _KEPT:
                cut = ends[-_KEPT - 1] + 1
        del events[:cut]
        self._next = 2 * len(events)
        keys = set(re.findall(r'"@?([tnc]\d+)(?:\.grad)?"', json.dumps(events)))
        self._calls.keep(keys)
        self._registry.keep(keys, cut)

    def number_passes(self) -> int:
        """Number the passes from 1, at the end; returns how many were discarded."""
        trace = self._trace
        first = next((e["p"] for e in trace.events if e["k"] == "backward"), 1)
        for entry in (*trace.events, *trace.calls.values()):
            if "p" in entry:
                entry["p"] -= first - 1
        return first - 1


MAX_EVENTS = 3000
"""Recording stops after this many events, at the end of a backward pass."""
SEED = 0
"""torch is seeded with this before the script runs, so that each recording is the same."""
_LOST_LINES = Failure(
    "the lines of the script could no longer be followed: it came to a RecursionError, which with "
    "the recorder comes earlier than without, or it set a trace function of its own"
)


class RecordingFailed(RuntimeError):
    """The recorder has failed, not the script."""


class Recorder:
    """Records what happens within `with recorder:`, where the script is run.

    It ends after `max_events` or `max_steps` of an optimizer, or where more backward passes than
    `max_passes` begin; from then on the script runs without a recorder, and `when_full`
    is called, with the line at which it is, in its own thread. `health`: also what a doctor
    asks for (`Trace.health`). Instead of ending after `max_events` it records later passes as
    `outlines`, or keeps the `recent` steps alone. `source`: the text of the script, if that isn't
    in its file.
    """

    def __init__(
        self,
        path: str | Path,
        source: str | None = None,
        max_events: int = MAX_EVENTS,
        max_passes: int | None = None,
        max_steps: int | None = None,
        when_full: Callable[[int | None], None] = lambda line: None,
        health: bool = False,
        outlines: bool = False,
        recent: bool = False,
    ) -> None:
        self._path = path
        if source is None:
            source = Path(path).read_text(encoding="utf-8")
        self._log = log = EventLog(ScriptPosition(str(path), source), source, max_events, outlines)
        values = ValueReader()
        self._registry = registry = GraphRegistry(log.trace, values)
        self._changes = changes = LeafChanges(log, registry, values)
        names = ModuleNames(log.script)
        self._calls = calls = ModuleCalls(log, names, modes=health)
        recording = Recording(log, registry, changes, names, calls, OwnHandleIds(), values)
        self._tensor_names = TensorNames(recording.handle_ids)
        self.suspended, self.handle_ids = log.suspended, recording.handle_ids
        self._recent = RecentEvents(log.trace, registry, calls) if recent else None
        if self._recent is not None:
            log.forget = self._recent.forget
        self.forgotten = 0
        """The number of backward passes discarded, once the recording has ended."""
        self._when_full = when_full
        self._passes = BackwardPasses(recording, max_passes, self._full, health)
        self._health = Health(recording) if health else None
        self._steps = OptimizerSteps(recording, max_steps, self._health)
        self._hooks = ScriptHooks(recording, self._passes, self._steps)
        self._operations = Operations(recording, self._hooks.note_call, self._health)
        self._compiled = CompiledCode(log)
        self._lines = LineTracer(recording, self._tensor_names, self._passes, self._full)
        self._output = PrintedOutput(log)
        self._undo = ExitStack()
        self._patches: list[tuple[object, str, object, object]] = []
        """The patched attributes, with their original values."""
        self._finished = False

    def __enter__(self) -> None:
        torch.manual_seed(SEED)
        self.begin(joins=False)

    def begin(
        self,
        optimizers: Iterable[torch.optim.Optimizer] = (),
        model: nn.Module | None = None,
        joins: bool = True,
    ) -> None:
        """Begin to record. `joins`: while the script runs, with this `model` and `optimizers`."""
        try:
            self._observe()
            if joins:
                with self._log.suspended:
                    self._lines.join(model)
                    for optimizer in optimizers:
                        self._steps.note_parameters(optimizer)
        except Exception as error:
            self._undo.close()
            self._log.suspended.errors.append(failure_of_recorder(error))
            raise RecordingFailed(self._message()) from error
        self._log.open = True
        sys.settrace(self._lines)

    def _observe(self) -> None:
        hooks, steps = self._hooks, self._steps
        self._patch(
            torch.autograd,
            "_engine_run_backward",
            lambda f: self._passes.wrap_engine(f, hooks.in_pass),
        )
        self._patch(torch.autograd.Function, "apply", _of_class(self._operations.wrap_apply))
        self._patch(torch.utils, "swap_tensors", self._changes.wrap_swap_tensors)
        call = nn.Module.__call__
        self._patch(nn.Module, "__call__", lambda f: self._calls.wrap_call(f, hooks.in_call))
        self._patch(OptimizedModule, "_initialize", lambda f: wrap_initialize(call, f))
        self._patch(eval_frame, "_callback_from_stance", self._compiled.wrap_callback)
        self._compiled.observe(self._undo)
        for name, kind in ON_MODULES.items():
            self._patch(nn.Module, name, lambda f, kind=kind: hooks.on_owner(f, kind))
        for name, kind in ON_ALL_MODULES.items():
            self._patch(modules, name, lambda f, kind=kind: hooks.on_all_modules(f, kind))
        for name, kind in ON_OPTIMIZERS.items():
            self._patch(torch.optim.Optimizer, name, lambda f, kind=kind: hooks.on_owner(f, kind))
        self._patch(torch.autograd.graph, "register_multi_grad_hook", hooks.on_several_tensors)
        self._patch(torch.optim.Optimizer, "zero_grad", steps.wrap_zero_grad)
        self._patch(torch.optim.Optimizer, "add_param_group", steps.wrap_add_param_group)
        self._patch(nn.Module, "zero_grad", steps.wrap_zero_grad)
        for kind in MODULES_WITH_FAST_PATH:
            self._patch(kind, "forward", lambda f: wrap_fast_path(self._operations, f))
        for owner, name in TRACERS:
            if hasattr(owner, name):  # draft_export came with PyTorch 2.7
                self._patch(owner, name, self._unrecorded)
        steps.observe(self._undo)
        hooks.observe(self._undo)
        self._tensor_names.observe(self._undo)
        if self._health is not None:
            self._health.observe(self._undo)
        if sys.stdout is not None:  # `>&-` closes it, pythonw has none
            self._output.observe(sys.stdout, self._undo)
        push_outermost(self._operations)
        self._undo.callback(take_away, self._operations)
        self._undo.callback(self._lines.leave)
        self._undo.callback(sys.settrace, sys.gettrace())

    def __exit__(self, _: type | None, error: BaseException | None, __: object) -> None:
        is_fault = error is not None and is_of_recorder(error)
        if is_fault:
            self._log.suspended.errors.append(failure_of_recorder(error))
        elif isinstance(error, Exception) and self._log.open:
            with self._log.suspended:
                place = self._log.script.place_of_error(error)
                failed = self._operations.failed_call(error)
                self._passes.add_error(error, place=place, **failed)
                if self._health is not None:
                    self._health.add("failure", place, text=f"{type(error).__name__}: {error}")
        if error is not None and not is_fault:
            hide_recorder(error)
        # Ctrl-C may come while the lines are traced, which ends tracing.
        stopped = error is not None and not isinstance(error, Exception)
        if sys.gettrace() is not self._lines and self._log.open and not stopped:
            self._log.suspended.errors.append(_LOST_LINES)
        self._log.open = False
        self._undo.close()
        self.finish()

    @property
    def is_open(self) -> bool:
        """Whether recording is still going on."""
        return self._log.open

    def _full(self) -> None:
        """Recording is complete: the script continues without a recorder."""
        if self._finished:
            return
        line = self._log.script.line()
        self._undo.close()
        self.finish()
        self._when_full(line)

    def name_of(self, tensor: torch.Tensor) -> str:
        """The script's name of a tensor; its shape if it has no name."""
        return self._registry.name_of(tensor) or str(list(tensor.shape))

    def trace(self) -> Trace:
        """The trace; raises `RecordingFailed` if anything went wrong with it."""
        if self._log.suspended.errors:
            raise RecordingFailed(self._message())
        return self._log.trace

    def finish(self) -> None:
        """End the recording, once. From another thread: the script must not continue after it."""
        self._log.open = False
        if not self._finished:
            self._finished = True
            with self._log.suspended:
                self._changes.finish()
            self._registry.finish()
            if self._recent is not None:
                self.forgotten = self._recent.number_passes()

    def failure(self) -> Failure | None:
        """Why there is no trace; a fault of the recorder comes before one of the script."""
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
        patched = wrap(original)
        setattr(owner, name, patched)
        self._patches.append((owner, name, patched, original))
        self._undo.callback(setattr, owner, name, original)

    def _unrecorded(self, original: Callable) -> Callable:
        """A function of torch that traces the script's code into a graph, run without the recorder;
        so is a function that it returns."""

        @functools.wraps(original)
        def call(*args, **kwargs):
            if not self._log.is_recording:
                return original(*args, **kwargs)
            with self._aside():
                result = original(*args, **kwargs)
            return self._unrecorded(result) if isinstance(result, FunctionType) else result

        return call

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        """Remove all observers of the script, temporarily."""
        follows = sys.gettrace()
        sys.settrace(None)
        self._log.aside = True
        take_away(self._operations)
        self._compiled.compile()
        ours = [each for each in self._patches if vars(each[0])[each[1]] is each[2]]
        for owner, name, _, original in ours:
            setattr(owner, name, original)
        try:
            yield
        finally:
            for owner, name, patched, _ in ours:
                setattr(owner, name, patched)
            self._compiled.run_eagerly()
            push_outermost(self._operations)
            self._log.aside = False
            sys.settrace(follows)


def record_script(path: str | Path) -> Trace:
    """Run a script in this process, unchanged, and return its trace.

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
    """The same for a class method, which is wrapped in its class.

    Written in Python it is a `classmethod`, written in C (since torch 2.14) it has no `__func__`;
    both are bound to a class in the same way.
    """

    def wrapped(original) -> object:
        return wrap(lambda cls, *args, **kwargs: original.__get__(None, cls)(*args, **kwargs))

    return wrapped


def is_recording() -> bool:
    """Whether a recording is running, or waits to begin."""
    return torch.autograd._engine_run_backward.__module__.startswith("gradtrace.")


def begin(
    model: nn.Module | None,
    optimizers: Iterable[torch.optim.Optimizer],
    code: tuple[str, str] | None = None,
) -> tuple[Recorder, str]:
    """Begin to record. `joins`: while the script runs, with this `model` and `optimizers`."""
    if code is None:
        file = calling_frame().f_code.co_filename
        code = file, text_of(file)
    file, text = code
    recorder = Recorder(file, text, health=True, outlines=True)
    recorder.begin(optimizers, model)
    return recorder, cell_name(file) or os.path.basename(file)
