"""Records one run of a script: puts the watchers in place, and takes them away again.

    recorder = Recorder(path)
    with recorder:
        ...                     # run the script, unchanged, as `__main__`
    recorder.trace()

Imports torch: only the process that runs the script may import this module.
"""

from __future__ import annotations

import builtins
import contextlib
import sys
import types
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch
from torch import nn
from torch.nn.modules import module as modules

from gradtrace.model import Trace, written
from gradtrace.record.backward import Passes
from gradtrace.record.event_log import Log
from gradtrace.record.forward import Operations
from gradtrace.record.function_mode import WITH_FAST_PATH, without_mode
from gradtrace.record.hooks import ON_ALL_MODULES, ON_MODULES, ON_OPTIMIZERS, Hooks
from gradtrace.record.leaf_changes import Changes
from gradtrace.record.lines import Lines
from gradtrace.record.names import Names
from gradtrace.record.optimizers import Steps
from gradtrace.record.registry import Graph
from gradtrace.record.source import Script
from gradtrace.record.suspend import OwnHandles

MOST_EVENTS = 3000
"""Recording stops after so many events. The longest recording of the book has far fewer."""


SEED = 0
"""A script that draws without a seed draws from this one: each recording is the same."""


UNFOLLOWED = (
    "the lines of the script could no longer be followed: it ran into the recursion limit, of "
    "which the recorder takes a part, or it set a trace function of its own"
)


class RecordingFailed(RuntimeError):
    """The recorder has failed, not the script: a fault of ours, told with all that is known."""


class Recorder:
    """Records what happens within `with recorder:`, where the script is run."""

    def __init__(self, path: str | Path, most: int = MOST_EVENTS) -> None:
        self._path = Path(path)
        source = self._path.read_text(encoding="utf-8")
        self._log = log = Log(Script(str(path), source), source, most)
        self._graph = graph = Graph(log.trace)
        names, self._handles = Names(), OwnHandles()
        changes = Changes(log, graph)
        self._passes = Passes(log, graph, changes, self._handles)
        self._steps = Steps(log, graph, changes)
        self._hooks = Hooks(log, graph, changes, names, self._passes, self._steps)
        self._operations = Operations(log, graph, changes, names, self._hooks.on_tensor)
        self._lines = Lines(log, graph, changes, names, self._passes)
        self._undo = ExitStack()
        self._finished = False

    def __enter__(self) -> None:
        self._patch(torch.autograd, "_engine_run_backward", self._passes.engine)
        self._patch(torch.autograd.Function, "apply", _of_class(self._operations.apply))
        hooks, steps = self._hooks, self._steps
        for name, kind in ON_MODULES.items():
            self._patch(nn.Module, name, lambda f, kind=kind: hooks.on_module(f, kind))
        for name, kind in ON_ALL_MODULES.items():
            self._patch(modules, name, lambda f, kind=kind: hooks.on_all_modules(f, kind))
        for name, kind in ON_OPTIMIZERS.items():
            self._patch(
                torch.optim.Optimizer, name, lambda f, kind=kind: hooks.on_optimizer(f, kind)
            )
        self._patch(torch.autograd.graph, "register_multi_grad_hook", hooks.on_many)
        self._patch(torch.optim.Optimizer, "zero_grad", steps.zero_grad)
        self._patch(nn.Module, "zero_grad", steps.zero_grad)
        for kind in WITH_FAST_PATH:
            self._patch(kind, "forward", lambda f: without_mode(self._operations, f))
        steps.watch(self._handles, self._undo)
        self._listen_to(sys.stdout)
        self._undo.enter_context(self._operations)
        self._undo.callback(sys.settrace, sys.gettrace())
        torch.manual_seed(SEED)
        self._log.open = True
        sys.settrace(self._lines)

    def __exit__(self, _: type | None, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception) and self._log.open:
            with self._log.aside:
                self._passes.tell_error(error)
                self._log.trace.events[-1]["line"] = _line_of(error, self._log.script.file)
        if sys.gettrace() is not self._lines and self._log.open:
            self._log.aside.problems.append(UNFOLLOWED)
        self._log.open = False
        self._undo.close()
        self.cut()

    def trace(self) -> Trace:
        """The recording; raises `RecordingFailed` if anything went wrong with it."""
        if problems := self._log.aside.problems:
            told = "\n".join(dict.fromkeys(problems))
            raise RecordingFailed(f"the recorder failed on {self._path}:\n{told}")
        return self._log.trace

    @property
    def passes(self) -> int:
        """How many backward passes have begun."""
        return self._passes.count

    def cut(self) -> None:
        """End the recording, once. From another thread: the script must not go on after it."""
        self._log.open = False
        if not self._finished:
            self._finished = True
            self._graph.finish()

    def save(self, file: str) -> None:
        """Write the recording, or why there is none, to `file`."""
        text = ""
        with contextlib.suppress(RecordingFailed):
            text = written(self.trace())
        told = text or "\n".join(dict.fromkeys(self._log.aside.problems))
        Path(file).write_text(told, encoding="utf-8", newline="\n")

    def _patch(self, owner: object, name: str, new: Callable[[Callable], object]) -> None:
        original = vars(owner)[name]
        setattr(owner, name, new(original))
        self._undo.callback(setattr, owner, name, original)

    def _listen_to(self, stream) -> None:
        """Note what is printed. The stream stays the object that it is; one of its methods gets a
        forerunner."""
        original = stream.write

        def write(text: str) -> int:
            self._printed(text)
            return original(text)

        stream.write = write
        self._undo.callback(delattr, stream, "write")

    def _printed(self, text: str) -> None:
        self._log.trace.stdout += text
        if not text or not self._log.listens:
            return
        with self._log.aside:
            events = self._log.trace.events
            last = events[-1] if events else {"k": ""}
            if last["k"] == "print" and not last["text"].endswith("\n"):
                last["text"] += text
            else:
                self._log.event("print", text=text)


def record(path: Path) -> Trace:
    """Run a script in this process, unchanged, and give its recording.

    An error of the script is part of the recording. Raises `RecordingFailed` where ours fail.
    """
    recorder = Recorder(path)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=str(path), __cached__=None, __builtins__=builtins)
    code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    kept, sys.modules["__main__"] = sys.modules["__main__"], main
    try:
        with contextlib.suppress(Exception), recorder:
            exec(code, main.__dict__)
    finally:
        sys.modules["__main__"] = kept
    return recorder.trace()


def _of_class(recorded: Callable) -> Callable:
    """The same for a class method, which is found wrapped in its class."""
    return lambda original: recorded(original.__func__)


def _line_of(error: BaseException, file: str) -> int | None:
    """The innermost line of the script that an error came through."""
    line, entry = None, error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == file:
            line = entry.tb_lineno
        entry = entry.tb_next
    return line
