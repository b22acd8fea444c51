"""Records the operations that the script calls, and the custom Functions.

A function mode sees each call of the API once, from outside: `F.cross_entropy`, not what it is made
of. A dispatch mode would see more, but while one is active autograd takes other formulas for
backward: what it showed would not be what happens without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gradtrace.record.event_log import Log
from gradtrace.record.function_mode import Warned
from gradtrace.record.leaf_changes import Changes
from gradtrace.record.names import Names
from gradtrace.record.registry import Graph, grad_fn_of
from gradtrace.record.source import owner_of_call
from gradtrace.record.values import tensors_in, value_of

_PROPERTIES = {"T", "mT", "H", "mH", "real", "imag", "data"}
"""Attributes that make a tensor of another; reading any other is no operation."""
_TOLD_ELSEWHERE = {"__set__", "__delete__", "backward", "requires_grad_", "__deepcopy__"}
_MOST_ITEMS = 8
"""So many items of a list are told among the arguments."""

Registration = Callable[[Callable, tuple, dict], tuple[tuple, dict]]


@dataclass
class _Call:
    """A call that has begun: what went in, and in which version."""

    name: str
    ins: list[tuple[torch.Tensor, int | None]]


class Operations(TorchFunctionMode):
    """Records operations; `hooked` replaces the hooks that pass through here by ones that tell."""

    def __init__(
        self, log: Log, graph: Graph, changes: Changes, names: Names, hooked: Registration
    ) -> None:
        super().__init__()
        self._log, self._graph, self._changes, self._names = log, graph, changes, names
        self._hooked = hooked
        self._warned = Warned()
        self._inside_function = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        globals()["__warningregistry__"] = self._warned.here()
        kwargs = kwargs or {}
        if not self._log.listens or self._inside_function or self._log.passes:
            return func(*args, **kwargs)
        call = None
        with self._log.aside:
            args, kwargs = self._hooked(func, args, kwargs)
            call = self._begun(func, args, kwargs)
        result = func(*args, **kwargs)
        if call is not None:
            with self._log.aside:
                self._ended(call, args, kwargs, result)
        return result

    def apply(self, original: Callable) -> classmethod:
        """`torch.autograd.Function.apply`, recorded: in the forward of a Function no graph is made,
        so what it calls is no operation of its own."""
        operations = self

        def apply(cls, *args, **kwargs):
            if not operations._log.listens or operations._inside_function:
                return original(cls, *args, **kwargs)
            call = None
            with operations._log.aside:
                call = operations._read(cls.__name__, args, kwargs)
            operations._inside_function += 1
            try:
                result = original(cls, *args, **kwargs)
            finally:
                operations._inside_function -= 1
            if call is not None and not operations._log.passes:
                with operations._log.aside:
                    operations._applied(cls, call, args, kwargs, result)
            return result

        return classmethod(apply)

    def _begun(self, func: Callable, args: tuple, kwargs: dict) -> _Call | None:
        name = getattr(func, "__name__", type(func).__name__)
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", name)
            if name not in _PROPERTIES:
                return None
        elif name in _TOLD_ELSEWHERE:
            return None
        return self._read(name, args, kwargs)

    def _read(self, name: str, args: tuple, kwargs: dict) -> _Call:
        return _Call(name, [(t, _version(t)) for t in tensors_in((args, kwargs))])

    def _ended(self, call: _Call, args: tuple, kwargs: dict, result: Any) -> None:
        changed = [t for t, before in call.ins if _version(t) != before]
        for tensor in changed:
            self._graph.written(tensor)
        results = list(tensors_in(result))
        untouched = [t for t, _ in call.ins if not _in(t, changed)]
        out = [t for t in results if not _in(t, untouched)]
        if _allocates(call.name):
            for tensor in out:
                self._graph.allocated(tensor)
        if self._log.full():
            return
        direct = self._log.script.calls()
        # A layer writes into its buffers, an optimizer into everything: told elsewhere, if at all.
        out += [t for t in changed if not _in(t, out) and (direct or grad_fn_of(t) is not None)]
        modules = self._log.script.modules()
        if not out or not (direct or modules or any(grad_fn_of(t) is not None for t in out)):
            return
        path = "/".join(type(module).__name__ for module in modules)
        self._tell(call, args, kwargs, out, changed, {"module": path} if path else {})

    def _applied(self, cls: type, call: _Call, args: tuple, kwargs: dict, result: Any) -> None:
        if self._log.full():
            return
        changed = [t for t, before in call.ins if _version(t) != before]
        if cls.__module__.startswith("torch."):
            told: dict = {"lib": True}
            if (module := owner_of_call()) is not None:
                told["mod"] = self._names.of_module(module)
        else:
            told = {"custom": True}
        self._tell(call, args, kwargs, list(tensors_in(result)), changed, told)

    def _tell(self, call, args, kwargs, out, changed, more: dict) -> None:
        ins = [self._graph.tensor(tensor) for tensor, _ in call.ins]
        told = [self._told(tensor, _in(tensor, changed)) for tensor in out]
        name = call.name.strip("_") if call.name.startswith("__") else call.name
        spelt = [[self._spelt(arg) for arg in args]]
        if named := {key: self._spelt(arg) for key, arg in kwargs.items() if arg is not None}:
            spelt.append(named)
        event = self._log.event("op", op=name, args=spelt, ins=ins, out=told, **more)
        if (text := self._log.script.text()) is not None:
            event["src"] = text
        at = len(self._log.trace.events) - 1
        for made in told:
            if "n" in made:
                self._graph.called(made["n"], at)

    def _told(self, tensor: torch.Tensor, changed: bool) -> dict:
        name = self._graph.tensor(tensor)
        told: dict = {"t": name}
        value = None
        if not self._graph.unwritten(tensor):
            value = told["value"] = value_of(tensor)
        self._graph.first_value(name, value)
        if (node := self._graph.made(tensor, value)) is not None:
            told["n"] = node
        if changed:
            told["inplace"] = True
            self._changes.told_value(name, tensor)
        return told

    def _spelt(self, arg: Any) -> Any:
        """An argument as JSON can hold it; tensors by their ids."""
        if isinstance(arg, torch.Tensor):
            owner = self._changes.owner_of_grad(arg)
            return f"@{owner}.grad" if owner else f"@{self._graph.tensor(arg)}"
        if isinstance(arg, float):
            return arg if abs(arg) < float("inf") else str(arg)
        if isinstance(arg, (bool, int, str)) or arg is None:
            return arg
        if isinstance(arg, (list, tuple)):
            return [self._spelt(item) for item in arg[:_MOST_ITEMS]]
        if isinstance(arg, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            return str(arg)
        return type(arg).__name__


def _version(tensor: torch.Tensor) -> int | None:
    return None if tensor.is_inference() else tensor._version


def _in(tensor: torch.Tensor, tensors: list[torch.Tensor]) -> bool:
    return any(tensor is other for other in tensors)


def _allocates(name: str) -> bool:
    return "empty" in name or name in ("resize_", "new")
