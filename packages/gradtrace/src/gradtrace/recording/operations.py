"""Records the operations that the script calls, and custom autograd Functions.

A function mode sees each call of the API once, from outside: `F.cross_entropy`, not its
parts. A dispatch mode would see more, but while one is active autograd uses other formulas for
backward: the recording would differ from a run without it.

Compiled code runs eagerly while it is recorded: torch.compile turns several operations into one
node of the graph, of which nothing more can be recorded.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch import nn
from torch._dynamo import eval_frame
from torch.fx.experimental.proxy_tensor import _MakefxTracer
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode,
    _get_current_function_mode_stack,
    _pop_mode,
    _pop_mode_temporarily,
    _push_mode,
    handle_torch_function,
)
from torch.overrides import __file__ as overrides_file

from gradtrace.recording.health import Health
from gradtrace.recording.log import EventLog, Recording
from gradtrace.recording.position import after_return, module_of_call
from gradtrace.recording.registry import grad_fn_of, is_leaf
from gradtrace.recording.script import entries_of
from gradtrace.recording.tensor_values import tensors_in

MODULES_WITH_FAST_PATH = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder)
"""Their `forward` has a fast path for when no gradient is required, and no function mode active."""


def wrap_fast_path(mode: TorchFunctionMode, original: Callable) -> Callable:
    """The `forward` of a module with a fast path. Where it makes no graph it runs without `mode`,
    as there is nothing to record. With a function mode of the script it never takes the fast
    path."""

    @functools.wraps(original)
    def forward(module: nn.Module, *args, **kwargs):
        tensors = [*module.parameters(), *tensors_in((args, kwargs))]
        makes_graph = torch.is_grad_enabled() and any(each.requires_grad for each in tensors)
        if _get_current_function_mode() is not mode or makes_graph:
            return original(module, *args, **kwargs)
        with _pop_mode_temporarily():
            return original(module, *args, **kwargs)

    return forward


def push_outermost(mode: TorchFunctionMode) -> None:
    """Make a mode active outside of those that the script has entered, which still leaves them in
    order: leaving a mode always removes the innermost one."""
    inner = [_pop_mode() for _ in _get_current_function_mode_stack()]
    for each in (mode, *reversed(inner)):
        _push_mode(each)


def take_away(mode: TorchFunctionMode) -> None:
    """Remove a mode from the active ones: at once, or if the current call passed through it, so
    that torch has set it aside, when torch has restored it."""
    stack = _get_current_function_mode_stack()
    if any(each is mode for each in stack):
        for _ in stack:
            _pop_mode()
        for each in stack:
            if each is not mode:
                _push_mode(each)
        return
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not handle_torch_function.__code__:
        frame = frame.f_back
    if frame is not None:
        after_return(frame, lambda: take_away(mode))


_PROPERTIES = {"T", "mT", "H", "mH", "real", "imag", "data"}
"""Attributes whose value is a new tensor; reading any other is not an operation."""
_READS = {"item", "tolist", "__float__", "__int__", "__index__", "__complex__"}
"""Methods that return Python numbers."""
_NOT_RECORDED_HERE = {"__set__", "__delete__", "backward", "requires_grad_", "__deepcopy__"}
_LEND = {"numpy", "__array__", "__dlpack__"}
"""They share the memory of a tensor with code that counts no versions."""
_COUNT_NO_VERSION = ("_fused_", "_amp_")
"""The prefixes of functions that change tensors without counting a version."""
_MAX_ITEMS = 8
"""The number of items of a list that are recorded among the arguments."""


class _Call:
    """A call that has begun: its inputs, and their versions."""

    def __init__(self, name: str, args: tuple, kwargs: dict) -> None:
        self.name = name
        self.ins = [(tensor, _version(tensor)) for tensor in tensors_in((args, kwargs))]


class Operations(TorchFunctionMode):
    """Records operations; `note_hook` is called with each function, its arguments and its result:
    it may have registered a hook."""

    def __init__(
        self,
        recording: Recording,
        note_hook: Callable[[Callable, tuple, dict, Any], None],
        health: Health | None = None,
    ) -> None:
        super().__init__()
        self._health = health
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._names = recording.changes, recording.names
        self._values = recording.values
        self._calls = recording.calls
        self._note_hook = note_hook
        self._warnings: dict[tuple[str, int], dict] = {}
        """The `__warningregistry__` of each line that calls this mode. Python shows a warning once
        for each line that raises it, and what is called here is called at one line."""
        self._inside_function = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        frame = sys._getframe(1)
        if frame.f_code.co_filename == overrides_file:  # a Python function of torch called it
            frame = frame.f_back.f_back or frame
        # The warnings module looks this name up in the globals of the function that it warns in.
        place = frame.f_code.co_filename, frame.f_lineno
        globals()["__warningregistry__"] = self._warnings.setdefault(place, {})
        kwargs = kwargs or {}
        name = _name(func)
        if name is None or not self._log.is_recording:
            return func(*args, **kwargs)
        call = None
        hidden = self._inside_function or self._log.passes
        with self._log.suspended:
            call = self._begin(func, name, args, kwargs)
        result = func(*args, **kwargs)
        if call is not None:
            with self._log.suspended:
                changed = self._note_written(call)
                if name in _LEND:
                    self._changes.note_lent(args[0], result)
                if not hidden:
                    self._note_hook(func, args, kwargs, result)
                    self._end(call, args, kwargs, result, changed)
        return result

    def failed_call(self, error: BaseException) -> dict:
        """The event fields of the torch call that raised an error; empty if none did."""
        found = {}
        for entry in entries_of(error):
            frame = entry.tb_frame
            call = frame.f_locals.get("call")
            if self._log.script.is_own(frame.f_code):
                found = {}  # code of the user that torch has called
            elif call and frame.f_code is Operations.__torch_function__.__code__:
                found = {"op": call.name, "ins": [self._registry.tensor(t) for t, _ in call.ins]}
        if found and (text := self._log.script.text_of_error(error)) is not None:
            found["src"] = text
        if found and (within := self._calls.failed_call(error)) is not None:
            found["within"] = within
        return found

    def wrap_apply(self, original: Callable) -> classmethod:
        """`torch.autograd.Function.apply`, with recording. In the forward of a Function no graph is
        made, so the calls in it are not recorded as operations."""
        operations = self

        def apply(cls, *args, **kwargs):
            if not operations._log.is_recording or operations._inside_function:
                return original(cls, *args, **kwargs)
            call = None
            with operations._log.suspended:
                call = _Call(cls.__name__, args, kwargs)
            operations._inside_function += 1
            try:
                result = original(cls, *args, **kwargs)
            finally:
                operations._inside_function -= 1
            if call is not None and not operations._log.passes:
                with operations._log.suspended:
                    operations._add_function(cls, call, args, kwargs, result)
            return result

        return classmethod(apply)

    def _begin(self, func: Callable, name: str, args: tuple, kwargs: dict) -> _Call | None:
        if name in ("__set__", "__delete__"):
            self._changes.note_set(args[0], func.__self__.__name__, *args[1:2] or (None,))
        elif name == "set_":
            self._changes.note_set(args[0], "data", None)
        if name in _NOT_RECORDED_HERE:
            self._log.torch_calls += 1
            return None
        return _Call(name, args, kwargs)

    def _note_written(self, call: _Call) -> list[torch.Tensor]:
        """The tensors that a call has changed in place; each is noted as written."""
        changed = [t for t, before in call.ins if _version(t) != before]
        for tensor in changed:
            self._registry.note_written(tensor)
        counted = not call.name.startswith(_COUNT_NO_VERSION)
        for tensor in changed if counted else [t for t, _ in call.ins]:
            self._changes.note_written(tensor)
        return changed

    def _end(
        self, call: _Call, args: tuple, kwargs: dict, result: Any, changed: list[torch.Tensor]
    ) -> None:
        changed_ids = set(map(id, changed))
        untouched = {id(t) for t, _ in call.ins} - changed_ids
        out = [t for t in tensors_in(result) if id(t) not in untouched]
        if not out and not changed and call.name not in _READS:
            return
        self._log.torch_calls += 1
        if "empty" in call.name or call.name in ("resize_", "new"):
            for tensor in out:
                self._registry.note_allocated(tensor)
        if self._log.close_if_full():
            return
        if call.name in _READS:
            self._add_read(call)
            return
        direct = self._log.script.is_caller()
        # A layer writes into its buffers, an optimizer into everything: not changes by the script.
        known = set(map(id, out))
        more = (t for t in changed if id(t) not in known)
        out += [t for t in more if direct or grad_fn_of(t) is not None]
        modules = self._log.script.modules()
        graph = any(grad_fn_of(t) is not None for t in out)
        if not out or not (direct or modules or graph):
            return
        given = any(t.requires_grad for t, _ in call.ins)
        cuts = given and self._log.suspended.script_makes_graph
        updates = any(t.requires_grad and is_leaf(t) for t in changed)
        if not updates and self._log.leaves_out(graph or cuts):
            return
        path = "/".join(type(module).__name__ for module in modules)
        more: dict = {"module": path} if path else {}
        if self._health and (dead := self._health.dead_units(call.name, result)):
            more["dead"] = dead
        if self._health and (part := self._health.saturated(call.name, result)):
            more["flat"] = part
        self._add_event(call, args, kwargs, out, changed, more)

    def _add_read(self, call: _Call) -> None:
        """A number was read from a tensor; recorded only where that leaves the graph."""
        tensor = call.ins[0][0]
        if tensor.requires_grad:
            name, value = self._registry.tensor(tensor), self._values.value_of(tensor)
            event = self._log.add("read", op=call.name.strip("_"), t=name, got=value)
            if (text := self._log.script.text()) is not None:
                event["src"] = text

    def _add_function(self, cls: type, call: _Call, args: tuple, kwargs: dict, result: Any) -> None:
        if self._log.close_if_full():
            return
        self._log.torch_calls += 1
        changed = self._note_written(call)
        if self._log.leaves_out(graph=True):
            return
        if cls.__module__.startswith("torch."):
            more: dict = {"lib": True}
            if (module := module_of_call()) is not None:
                more["mod"] = self._names.of_module(module)
        else:
            more = {"custom": True}
        self._add_event(call, args, kwargs, list(tensors_in(result)), changed, more)

    def _add_event(self, call, args, kwargs, out, changed, more: dict) -> None:
        ins = [self._registry.tensor(tensor) for tensor, _ in call.ins]
        changed_ids = set(map(id, changed))
        outputs = [self._output(tensor, id(tensor) in changed_ids) for tensor in out]
        name = call.name.strip("_") if call.name.startswith("__") else call.name
        if (within := self._calls.innermost()) is not None:
            more["within"] = within
        arguments = [[self._argument(arg) for arg in args]]
        if named := {key: self._argument(arg) for key, arg in kwargs.items() if arg is not None}:
            arguments.append(named)
        event = self._log.add("op", op=name, args=arguments, ins=ins, out=outputs, **more)
        if (text := self._log.script.text()) is not None:
            event["src"] = text
        if not self._log.suspended.script_makes_graph and any(t.requires_grad for t, _ in call.ins):
            event["no_grad"] = True
        index = len(self._log.trace.events) - 1
        for output in outputs:
            if "n" in output:
                self._registry.note_operation(output["n"], index)

    def _output(self, tensor: torch.Tensor, changed: bool) -> dict:
        """An item of `out`: the tensor, its value and node, and whether it was changed in place."""
        name = self._registry.tensor(tensor)
        output: dict = {"t": name}
        value = None
        if not self._registry.is_uninitialised(tensor):
            value = output["value"] = self._values.value_of(tensor)
        self._registry.note_first_value(name, value)
        if (node := self._registry.note_made(tensor, value)) is not None:
            output["n"] = node
        if changed:
            output["inplace"] = True
            self._changes.note_value(name, tensor)
        return output

    def _argument(self, arg: Any) -> Any:
        """An argument as a JSON value; tensors by their ids."""
        if isinstance(arg, torch.Tensor):
            owner = self._changes.owner_of_grad(arg)
            return f"@{owner}.grad" if owner else f"@{self._registry.tensor(arg)}"
        if isinstance(arg, float):
            return arg if abs(arg) < float("inf") else str(arg)
        if isinstance(arg, (bool, int, str)) or arg is None:
            return arg
        if isinstance(arg, (list, tuple)):
            return [self._argument(item) for item in arg[:_MAX_ITEMS]]
        if isinstance(arg, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            return str(arg)
        return type(arg).__name__


def _version(tensor: torch.Tensor) -> int | None:
    return None if tensor.is_inference() else tensor._version


def _name(func: Callable) -> str | None:
    """The name of a function of torch; None for reading most attributes."""
    name = getattr(func, "__name__", type(func).__name__)
    if name != "__get__":
        return name
    name = getattr(getattr(func, "__self__", None), "__name__", name)
    return name if name in _PROPERTIES else None


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
        """Run compiled code eagerly until the stack is closed, which restores the setting."""
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
