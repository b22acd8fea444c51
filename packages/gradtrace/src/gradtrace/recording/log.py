"""The trace while it is being recorded, whether recording goes on, and what observers share."""

from __future__ import annotations

import contextlib
import platform
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch._C import _functorch as functorch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils import _python_dispatch as dispatch
from torch.utils.hooks import RemovableHandle

from gradtrace.recording.position import Place, ScriptPosition
from gradtrace.recording.script import Failure, failure_of_recorder
from gradtrace.trace import Event, Trace

if TYPE_CHECKING:
    from gradtrace.recording.leaf_changes import LeafChanges
    from gradtrace.recording.names import ModuleCalls, ModuleNames
    from gradtrace.recording.registry import GraphRegistry
    from gradtrace.recording.tensor_values import ValueReader

_FIRST_ID = 10**9
_TRACING_IS_SET_FAST = sys.version_info < (3, 12)
"""Since Python 3.12 `sys.settrace` affects all code; tracing a function costs less than before."""


class SuspendedRecording:
    """`with suspended:` around everything that the recorder itself does while the script runs.

    Within it no function mode, dispatch mode or transform of the script is active, nothing is
    added to a graph, no profiler sees an operation, and no function is traced. An error does not go
    into the script: it is added to `errors`, and fails the recording at its end.
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
        """While the recorder is at work: whether gradients are enabled for the script."""
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
        if _TRACING_IS_SET_FAST:  # last: until here the script may be too deep in calls
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
        local.depth = 0  # last, as a signal may run script code in between
        if isinstance(error, Exception):
            self.errors.append(failure_of_recorder(error))
            return True
        return False


class _OfThread(threading.local):
    """The state of a script's thread before the recorder went to work in it."""

    depth = 0
    modes = transforms = trace = None
    grad = True


class OwnHandleIds:
    """`with ids:` around the registering of the recorder's hooks, which takes their ids from a
    distant range: a script that prints the ids of its own hooks prints the same without a
    recorder."""

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


_BEFORE_FIRST_PASS = 20
"""The factor by which more events are recorded while there was no backward pass yet."""
_TRACING_MODES = (
    torch._C._TorchDispatchModeKey.PROXY,
    torch._C._TorchDispatchModeKey.FUNCTIONAL,
)


_SAME_LINE = 100
"""The number of times that the operations of a line which carry no gradient are recorded."""


class EventLog:
    """The trace being recorded, shared by all observers. `max_events`: recording ends after this
    many, or older ones are discarded, if `forget` is set. `outlines`: instead of ending, only the
    gradients of leaves, the losses and the steps of later passes are recorded, and the operations
    that carry no gradient aren't counted."""

    def __init__(
        self, script: ScriptPosition, source: str, max_events: int, outlines: bool = False
    ) -> None:
        python = ".".join(platform.python_version_tuple()[:2])
        self.script = script
        version = torch.__version__.partition("+")[0]
        self.trace = Trace(version, python, source, sources=script.sources)
        self.suspended = SuspendedRecording()
        self.passes: list[int] = []
        """The backward passes that are running now, the innermost last."""
        self.torch_calls = 0
        """The number of torch calls so far that returned or changed a tensor."""
        self.open = self.aside = False
        self.outline = False
        """Whether only an outline is recorded now."""
        self.forget: Callable[[int], None] | None = None
        self._max_events, self._outlines = max_events, outlines
        self._uncounted = 0
        self._at_line: Counter[tuple] = Counter()
        self.begun = 0
        """The number of backward passes that have begun."""
        self._thread = threading.get_ident()

    @property
    def is_recording(self) -> bool:
        """Whether current events are recorded: the recorder is neither at work itself nor
        suspended, this is the thread in which recording began, and torch runs the script rather
        than tracing it into a graph."""
        return (
            self.open
            and not (self.aside or self.suspended.active)
            and self.is_recorded_thread
            and not _is_traced()
        )

    @property
    def is_recorded_thread(self) -> bool:
        """Whether this is the thread in which recording began."""
        return threading.get_ident() == self._thread

    def add(self, k: str, place: Place | None = None, **fields: object) -> Event:
        """Add an event at the current line of the user's code, or at `place`; returns it."""
        self.begun += k == "backward"
        event = Event(k=k, **(place or self.script.place()), **fields)
        self.trace.events.append(event)
        return event

    def leaves_out(self, graph: bool) -> bool:
        """Whether an operation at the current line is not recorded, as an outline has no graph, or
        as operations that carry no gradient (`graph` is false) ran there often."""
        if not self._outlines:
            return False
        if graph:
            return self.outline
        place = self.script.place()
        self._at_line[key := (place.get("file"), place.get("line"))] += 1
        self._uncounted += self._at_line[key] <= _SAME_LINE
        return self._at_line[key] > _SAME_LINE

    def close_if_full(self) -> bool:
        """Close the log if it holds enough events, between two passes, so that none is cut in half,
        or go on with an outline; returns whether it is closed."""
        events = self.trace.events
        if self.forget is not None:
            if self.open and not self.passes:
                self.forget(self._max_events)
            return not self.open
        # A long forward pass says nothing before a backward pass has run through it.
        most = self._max_events * (1 if self.begun else _BEFORE_FIRST_PASS)
        if self.open and not self.passes and len(events) - self._uncounted >= most:
            if self._outlines:
                self.outline = True
                return False
            self.open = False
            self.trace.left_out = {"events": len(events), "line": self.script.line()}
        return not self.open


def _is_traced() -> bool:
    """Whether operations are traced into a graph: by torch.jit.trace, make_fx, or aot_autograd."""
    traced = torch._C._get_tracing_state() is not None
    if not traced and dispatch._len_torch_dispatch_stack():
        traced = any(torch._C._get_dispatch_mode(key) is not None for key in _TRACING_MODES)
    return traced


@dataclass(frozen=True)
class Recording:
    """The trace being recorded, and the known tensors and names of the script."""

    log: EventLog
    registry: GraphRegistry
    changes: LeafChanges
    names: ModuleNames
    calls: ModuleCalls
    handle_ids: OwnHandleIds
    values: ValueReader
