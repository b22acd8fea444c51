"""Records the hooks of the script: that they are registered, what they get, what they return."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable

import torch
from torch import nn

from gradtrace.recording.observers.backward_passes import BackwardPasses
from gradtrace.recording.observers.optimizers import OptimizerSteps
from gradtrace.recording.recording import Recording
from gradtrace.recording.script_position import Place
from gradtrace.trace import Event

Target = Callable[[], str | list[str]]
"""Gives what a hook is registered on; a module may get its name only later."""

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


class ScriptHooks:
    """Wraps each hook that the script registers in one that records its calls.

    Only where the script registers it itself: torch registers hooks of its own with the same
    functions.
    """

    def __init__(self, recording: Recording, passes: BackwardPasses, steps: OptimizerSteps) -> None:
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._names = recording.changes, recording.names
        self._values = recording.values
        self._passes, self._steps = passes, steps

    def on_tensor(self, func: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call; where it registers a hook on a tensor, with the wrapped hook."""
        kind = _ON_TENSORS.get(func)
        if kind is None or not self._log.script.is_caller():
            return args, kwargs
        tensor = self._registry.tensor(args[0])
        if kind == "retain_grad":
            self._log.add("reg", hook=kind, on=tensor)
            return args, kwargs
        hook = args[1] if len(args) > 1 else kwargs["hook"]
        return (args[0], self._registered(kind, lambda: tensor, hook)), {}

    def on_module(self, original: Callable, kind: str) -> Callable:
        """`nn.Module.register_..._hook`, with recording."""

        @functools.wraps(original)
        def register(module: nn.Module, hook: Callable, *args, **kwargs):
            reference = weakref.ref(module)

            def name() -> str:
                alive = reference()
                return self._names.of_module(alive) if alive is not None else "?"

            return original(module, self._wrap_if_direct(kind, name, hook), *args, **kwargs)

        return register

    def on_all_modules(self, original: Callable, kind: str) -> Callable:
        """`torch.nn.modules.module.register_module_..._hook`, with recording."""

        @functools.wraps(original)
        def register(hook: Callable, *args, **kwargs):
            return original(self._wrap_if_direct(kind, lambda: EVERY_MODULE, hook), *args, **kwargs)

        return register

    def on_optimizer(self, original: Callable, kind: str) -> Callable:
        """`Optimizer.register_step_..._hook`, with recording."""

        @functools.wraps(original)
        def register(optimizer: torch.optim.Optimizer, hook: Callable):
            name = type(optimizer).__name__
            return original(optimizer, self._wrap_if_direct(kind, lambda: name, hook))

        return register

    def on_several_tensors(self, original: Callable) -> Callable:
        """`torch.autograd.graph.register_multi_grad_hook`, with recording."""

        @functools.wraps(original)
        def register(tensors, fn: Callable, **kwargs):
            names: list[str] = []
            with self._log.suspended:
                names += [self._registry.tensor(tensor) for tensor in tensors]
            return original(
                tensors, self._wrap_if_direct("multi_grad", lambda: names, fn), **kwargs
            )

        return register

    def _wrap_if_direct(self, kind: str, target: Target, hook: Callable) -> Callable:
        wrapped = hook
        if self._log.is_recording:
            with self._log.suspended:
                if self._log.script.is_caller():
                    wrapped = self._registered(kind, target, hook)
        return wrapped

    def _registered(self, kind: str, target: Target, hook: Callable) -> Callable:
        self._log.add("reg", hook=kind, on=target(), fn=hook_name(hook))
        return self._wrap(kind, target, hook)

    def _wrap(self, kind: str, target: Target, hook: Callable) -> Callable:
        def recorded(*args, **kwargs):
            if not self._log.open or self._log.suspended.active:
                return hook(*args, **kwargs)
            event = None
            with self._log.suspended:
                event = self._add_event(kind, target, hook, args)
            result = hook(*args, **kwargs)
            if event is not None:
                with self._log.suspended:
                    self._values.forget()  # what is done to `.data` in a hook is not seen
                    if result is not None:
                        event["ret"] = self._values.values_of(result)
                    if kind == "post_accumulate":
                        self._changes.note_given(args[0])
                    if self._log.passes:
                        self._changes.record_changes(_place(event))
            return result

        return _RecordedHook(hook, recorded)

    def _add_event(self, kind: str, target: Target, hook: Callable, args: tuple):
        if kind == "post_accumulate":
            self._passes.note_accumulated(args[0])
        if kind == "step_post":
            self._steps.add_step(args[0])
        script, code = self._log.script, getattr(hook, "__code__", None)
        defined = None
        if code is not None and script.files[code.co_filename] is not None:
            defined = script.place_in(code, code.co_firstlineno)
        got = self._values.values_of(list(args))
        event = self._log.add("hook", defined, hook=kind, on=target(), fn=hook_name(hook), got=got)
        if (at := self._passes.running_node()) is not None:
            event["at"] = at
        return event


class _RecordedHook:
    """Stands in the place of a hook and calls `recorded` for it.

    A model is pickled with the hook itself, and can be loaded where this package isn't installed.
    """

    def __init__(self, hook: Callable, recorded: Callable) -> None:
        functools.update_wrapper(self, hook)
        self._hook, self._recorded = hook, recorded

    def __call__(self, *args, **kwargs):
        return self._recorded(*args, **kwargs)

    def __reduce__(self) -> tuple:
        return operator.itemgetter(0), ((self._hook,),)

    def __deepcopy__(self, _: dict) -> _RecordedHook:
        return self


def _place(event: Event) -> Place:
    return Place(**{key: event[key] for key in ("line", "file") if key in event})


def hook_name(hook: Callable) -> str:
    """The name of a function; of another callable that of its class."""
    return getattr(hook, "__name__", type(hook).__name__)
