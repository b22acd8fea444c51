"""Records the operations that the script calls, and custom autograd Functions.

A function mode sees each call of the API once, from outside: `F.cross_entropy`, not what it is made
of. A dispatch mode would see more, but while one is active autograd takes other formulas for
backward: what it saw would not be what happens without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gradtrace.record.observers.function_mode import WarningRegistries
from gradtrace.record.recording import Recording
from gradtrace.record.registry import grad_fn_of
from gradtrace.record.script_position import module_of_call
from gradtrace.record.tensor_values import tensors_in, value_of

_PROPERTIES = {"T", "mT", "H", "mH", "real", "imag", "data"}
"""Attributes that make a tensor of another; reading any other is no operation."""
_NOT_RECORDED_HERE = {"__set__", "__delete__", "backward", "requires_grad_", "__deepcopy__"}
_MAX_ITEMS = 8
"""So many items of a list are recorded among the arguments."""

HookWrapper = Callable[[Callable, tuple, dict], tuple[tuple, dict]]
"""Gets a function and its arguments; gives the arguments, with hooks wrapped."""


@dataclass
class _Call:
    """A call that has begun: what went in, and in which version."""

    name: str
    ins: list[tuple[torch.Tensor, int | None]]


class Operations(TorchFunctionMode):
    """Records operations; `wrap_hooks` wraps the hooks that tensors are given here."""

    def __init__(self, recording: Recording, wrap_hooks: HookWrapper) -> None:
        super().__init__()
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._names = recording.changes, recording.names
        self._wrap_hooks = wrap_hooks
        self._warning_registries = WarningRegistries()
        self._inside_function = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        # The warnings module looks this name up in the globals of the function that it warns in.
        globals()["__warningregistry__"] = self._warning_registries.here()
        kwargs = kwargs or {}
        if not self._log.is_recording or self._inside_function or self._log.passes:
            return func(*args, **kwargs)
        call = None
        with self._log.suspended:
            args, kwargs = self._wrap_hooks(func, args, kwargs)
            call = self._begin(func, args, kwargs)
        result = func(*args, **kwargs)
        if call is not None:
            with self._log.suspended:
                self._end(call, args, kwargs, result)
        return result

    def wrap_apply(self, original: Callable) -> classmethod:
        """`torch.autograd.Function.apply`, with recording. In the forward of a Function no graph is
        made, so what it calls is no operation of its own."""
        operations = self

        def apply(cls, *args, **kwargs):
            if not operations._log.is_recording or operations._inside_function:
                return original(cls, *args, **kwargs)
            call = None
            with operations._log.suspended:
                call = operations._begin_call(cls.__name__, args, kwargs)
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

    def _begin(self, func: Callable, args: tuple, kwargs: dict) -> _Call | None:
        name = getattr(func, "__name__", type(func).__name__)
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", name)
            if name not in _PROPERTIES:
                return None
        elif name in _NOT_RECORDED_HERE:
            return None
        return self._begin_call(name, args, kwargs)

    def _begin_call(self, name: str, args: tuple, kwargs: dict) -> _Call:
        return _Call(name, [(t, _version(t)) for t in tensors_in((args, kwargs))])

    def _end(self, call: _Call, args: tuple, kwargs: dict, result: Any) -> None:
        changed = [t for t, before in call.ins if _version(t) != before]
        for tensor in changed:
            self._registry.note_written(tensor)
        results = list(tensors_in(result))
        untouched = [t for t, _ in call.ins if not _in(t, changed)]
        out = [t for t in results if not _in(t, untouched)]
        if _allocates(call.name):
            for tensor in out:
                self._registry.note_allocated(tensor)
        if self._log.close_if_full():
            return
        direct = self._log.script.is_caller()
        # A layer writes into its buffers, an optimizer into everything: not done by the script.
        out += [t for t in changed if not _in(t, out) and (direct or grad_fn_of(t) is not None)]
        modules = self._log.script.modules()
        if not out or not (direct or modules or any(grad_fn_of(t) is not None for t in out)):
            return
        path = "/".join(type(module).__name__ for module in modules)
        self._add_event(call, args, kwargs, out, changed, {"module": path} if path else {})

    def _add_function(self, cls: type, call: _Call, args: tuple, kwargs: dict, result: Any) -> None:
        if self._log.close_if_full():
            return
        changed = [t for t, before in call.ins if _version(t) != before]
        if cls.__module__.startswith("torch."):
            more: dict = {"lib": True}
            if (module := module_of_call()) is not None:
                more["mod"] = self._names.of_module(module)
        else:
            more = {"custom": True}
        self._add_event(call, args, kwargs, list(tensors_in(result)), changed, more)

    def _add_event(self, call, args, kwargs, out, changed, more: dict) -> None:
        ins = [self._registry.tensor(tensor) for tensor, _ in call.ins]
        outputs = [self._output(tensor, _in(tensor, changed)) for tensor in out]
        name = call.name.strip("_") if call.name.startswith("__") else call.name
        arguments = [[self._argument(arg) for arg in args]]
        if named := {key: self._argument(arg) for key, arg in kwargs.items() if arg is not None}:
            arguments.append(named)
        event = self._log.add("op", op=name, args=arguments, ins=ins, out=outputs, **more)
        if (text := self._log.script.text()) is not None:
            event["src"] = text
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
            value = output["value"] = value_of(tensor)
        self._registry.note_first_value(name, value)
        if (node := self._registry.note_made(tensor, value)) is not None:
            output["n"] = node
        if changed:
            output["inplace"] = True
            self._changes.note_value(name, tensor)
        return output

    def _argument(self, arg: Any) -> Any:
        """An argument as JSON can hold it; tensors by their ids."""
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


def _in(tensor: torch.Tensor, tensors: list[torch.Tensor]) -> bool:
    return any(tensor is other for other in tensors)


def _allocates(name: str) -> bool:
    return "empty" in name or name in ("resize_", "new")
