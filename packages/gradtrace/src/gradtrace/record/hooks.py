"""Records the hooks of the script: that they are registered, what they get, what they return."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable

import torch
from torch import nn

from gradtrace.record.backward import Passes
from gradtrace.record.event_log import Log
from gradtrace.record.leaf_changes import Changes
from gradtrace.record.names import Names
from gradtrace.record.optimizers import Steps
from gradtrace.record.registry import Graph
from gradtrace.record.values import values_of

On = Callable[[], str | list[str]]
"""Gives what a hook is on; a module may get its name after the hook is registered."""

_ON_TENSORS = {
    torch.Tensor.register_hook: "tensor",
    torch.Tensor.register_post_accumulate_grad_hook: "post_accumulate",
    torch.Tensor.retain_grad: "retain_grad",
}
ON_MODULES = {
    f"register_{kind}_hook": kind
    for kind in ("forward", "forward_pre", "full_backward", "full_backward_pre", "backward")
}
ON_ALL_MODULES = {
    f"register_module_{kind}_hook": kind
    for kind in ("forward", "forward_pre", "full_backward", "full_backward_pre", "backward")
}
ON_OPTIMIZERS = {f"register_{kind}_hook": kind for kind in ("step_pre", "step_post")}
EVERY_MODULE = "every module"


class Hooks:
    """Puts in the place of each hook of the script one that tells, then calls it.

    Only where the script registers it itself: torch registers hooks of its own by the same doors.
    """

    def __init__(
        self,
        log: Log,
        graph: Graph,
        changes: Changes,
        names: Names,
        passes: Passes,
        steps: Steps,
    ) -> None:
        self._log, self._graph, self._changes = log, graph, changes
        self._names, self._passes, self._steps = names, passes, steps

    def on_tensor(self, func: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call; where it registers a hook on a tensor, with another hook."""
        kind = _ON_TENSORS.get(func)
        if kind is None or not self._log.script.calls():
            return args, kwargs
        tensor = self._graph.tensor(args[0])
        if kind == "retain_grad":
            self._log.event("reg", hook=kind, on=tensor)
            return args, kwargs
        hook = args[1] if len(args) > 1 else kwargs["hook"]
        return (args[0], self._registered(kind, lambda: tensor, hook)), {}

    def on_module(self, original: Callable, kind: str) -> Callable:
        """`nn.Module.register_..._hook`, recorded."""

        @functools.wraps(original)
        def register(module: nn.Module, hook: Callable, *args, **kwargs):
            held = weakref.ref(module)

            def on() -> str:
                alive = held()
                return self._names.of_module(alive) if alive is not None else "?"

            return original(module, self._if_called(kind, on, hook), *args, **kwargs)

        return register

    def on_all_modules(self, original: Callable, kind: str) -> Callable:
        """`torch.nn.modules.module.register_module_..._hook`, recorded."""

        @functools.wraps(original)
        def register(hook: Callable, *args, **kwargs):
            return original(self._if_called(kind, lambda: EVERY_MODULE, hook), *args, **kwargs)

        return register

    def on_optimizer(self, original: Callable, kind: str) -> Callable:
        """`Optimizer.register_step_..._hook`, recorded."""

        @functools.wraps(original)
        def register(optimizer: torch.optim.Optimizer, hook: Callable):
            name = type(optimizer).__name__
            return original(optimizer, self._if_called(kind, lambda: name, hook))

        return register

    def on_many(self, original: Callable) -> Callable:
        """`torch.autograd.graph.register_multi_grad_hook`, recorded."""

        @functools.wraps(original)
        def register(tensors, fn: Callable, **kwargs):
            names: list[str] = []
            with self._log.aside:
                names += [self._graph.tensor(tensor) for tensor in tensors]
            return original(tensors, self._if_called("multi_grad", lambda: names, fn), **kwargs)

        return register

    def _if_called(self, kind: str, on: On, hook: Callable) -> Callable:
        told = hook
        if self._log.listens:
            with self._log.aside:
                if self._log.script.calls():
                    told = self._registered(kind, on, hook)
        return told

    def _registered(self, kind: str, on: On, hook: Callable) -> Callable:
        self._log.event("reg", hook=kind, on=on(), fn=name_of(hook))
        return self._telling(kind, on, hook)

    def _telling(self, kind: str, on: On, hook: Callable) -> Callable:
        @functools.wraps(hook)
        def telling(*args, **kwargs):
            if not self._log.open or self._log.aside.active:
                return hook(*args, **kwargs)
            event = None
            with self._log.aside:
                event = self._began(kind, on, hook, args)
            result = hook(*args, **kwargs)
            if event is not None:
                with self._log.aside:
                    if result is not None:
                        event["ret"] = values_of(result)
                    if self._log.passes:
                        self._changes.look(event["line"])
            return result

        return telling

    def _began(self, kind: str, on: On, hook: Callable, args: tuple):
        if kind == "post_accumulate":
            self._passes.added(args[0])
        if kind == "step_post":
            self._steps.made(args[0])
        event = self._log.event(
            "hook", hook=kind, on=on(), fn=name_of(hook), got=values_of(list(args))
        )
        code = getattr(hook, "__code__", None)
        if code is not None and code.co_filename == self._log.script.file:
            event["line"] = code.co_firstlineno
        if (at := self._passes.at()) is not None:
            event["at"] = at
        return event


def name_of(hook: Callable) -> str:
    return getattr(hook, "__name__", type(hook).__name__)
