"""Records the hooks of the script: their registration, their arguments, and their results."""

from __future__ import annotations

import contextlib
import functools
import operator
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack

import torch
from torch import nn
from torch.nn.modules import module as modules
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from gradtrace.recording.backward_passes import BackwardPasses
from gradtrace.recording.log import Recording
from gradtrace.recording.optimizers import OptimizerSteps
from gradtrace.recording.position import Place

Target = Callable[[], str | list[str]]
"""Returns the owner of a hook; a module may get its name only later."""

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
_MODULE_TABLES = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
_OPTIMIZER_TABLES = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
"""The attributes in which a module and an optimizer store hooks, by the ids of their handles."""
_TABLES_OF_ALL = (
    modules._global_forward_pre_hooks,
    modules._global_forward_hooks,
    modules._global_backward_pre_hooks,
    modules._global_backward_hooks,
)
EVERY_MODULE = "every module"


class ScriptHooks:
    """Records the calls of each hook that the script registers.

    The tables of torch hold the hooks themselves, so that a script may inspect them, or copy or
    save a model. Only while torch iterates over a table, in a call of a module, a backward pass or
    a step, wrappers that record stand in place of the hooks. Hooks that torch registers itself,
    with the same functions, are left alone.
    """

    def __init__(self, recording: Recording, passes: BackwardPasses, steps: OptimizerSteps) -> None:
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._names = recording.changes, recording.names
        self._values, self._handle_ids = recording.values, recording.handle_ids
        self._passes, self._steps = passes, steps
        self._kinds: dict[int, str] = {}
        """The kind of each hook, by the id of its handle, also in a copy of a module."""
        self._of_tensors: list[tuple[Callable[[], dict | None], str]] = []
        """The tables of tensors, and the names of these."""
        self._in_steps: dict[int, ExitStack] = {}
        """Restores the hooks of an optimizer after a step, by its id."""

    def observe(self, until: ExitStack) -> None:
        """Record the hooks of optimizers until the stack is closed."""
        with self._handle_ids:
            until.callback(register_optimizer_step_pre_hook(self._step_begins).remove)
            until.callback(register_optimizer_step_post_hook(self._step_ends).remove)

    def note_call(self, func: Callable, args: tuple, kwargs: dict, result: object) -> None:
        """Note a call of torch that may have registered a hook on a tensor."""
        kind = _ON_TENSORS.get(func)
        if kind is None or not self._log.script.is_caller():
            return
        tensor = self._registry.tensor(args[0])
        if kind == "retain_grad":
            self._log.add("reg", hook=kind, on=tensor)
            return
        hook = args[1] if len(args) > 1 else kwargs["hook"]
        self._log.add("reg", hook=kind, on=tensor, fn=hook_name(hook))
        self._kinds[result.id] = kind
        self._of_tensors.append((result.hooks_dict_ref, tensor))

    def on_owner(self, original: Callable, kind: str) -> Callable:
        """`register_..._hook` of a module or an optimizer, with recording."""

        @functools.wraps(original)
        def register(owner: nn.Module | torch.optim.Optimizer, hook: Callable, *args, **kwargs):
            direct = self._note_if_direct(kind, self._target(owner), hook)
            handle = original(owner, hook, *args, **kwargs)
            if direct:
                self._kinds[handle.id] = kind
            return handle

        return register

    def on_all_modules(self, original: Callable, kind: str) -> Callable:
        """`torch.nn.modules.module.register_module_..._hook`, with recording."""

        @functools.wraps(original)
        def register(hook: Callable, *args, **kwargs):
            direct = self._note_if_direct(kind, lambda: EVERY_MODULE, hook)
            handle = original(hook, *args, **kwargs)
            if direct:
                self._kinds[handle.id] = kind
            return handle

        return register

    def on_several_tensors(self, original: Callable) -> Callable:
        """`torch.autograd.graph.register_multi_grad_hook`, with recording: torch wraps the hook in
        a function there."""

        @functools.wraps(original)
        def register(tensors, fn: Callable, **kwargs):
            names: list[str] = []
            with self._log.suspended:
                names += [self._registry.tensor(tensor) for tensor in tensors]
            if self._note_if_direct("multi_grad", lambda: names, fn):
                fn = self._recorded("multi_grad", lambda: names, fn)
            return original(tensors, fn, **kwargs)

        return register

    def in_call(self, module: nn.Module) -> AbstractContextManager:
        """Record the hooks that are called with a module, or were collected for its backward."""
        own = [table for each in _MODULE_TABLES if (table := vars(module).get(each))]
        tables = [(table, self._target(module)) for table in own]
        tables += [(table, lambda: EVERY_MODULE) for table in _TABLES_OF_ALL if table]
        return self._recording(tables) if tables else contextlib.nullcontext()

    def in_pass(self) -> AbstractContextManager:
        """Record the hooks of tensors."""
        alive = [(of, of(), name) for of, name in self._of_tensors]
        self._of_tensors = [(of, name) for of, table, name in alive if table is not None]
        tables = [(table, lambda name=name: name) for _, table, name in alive if table]
        return self._recording(tables) if tables else contextlib.nullcontext()

    def _step_begins(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if self._log.is_recording:
            target = self._target(optimizer)
            tables = [(vars(optimizer)[each], target) for each in _OPTIMIZER_TABLES]
            stack = self._in_steps.setdefault(id(optimizer), ExitStack())
            stack.close()  # a step before this one may have failed
            stack.enter_context(self._recording(tables))

    def _step_ends(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        self._in_steps.pop(id(optimizer), ExitStack()).close()

    @contextlib.contextmanager
    def _recording(self, tables: list[tuple[dict[int, Callable], Target]]) -> Iterator[None]:
        """Replace the hooks of the script by wrappers that record."""
        replaced = [
            (table, key, hook, target)
            for table, target in tables
            for key, hook in table.items()
            if key in self._kinds and type(hook) is not _RecordedHook
        ]
        for table, key, hook, target in replaced:
            table[key] = _RecordedHook(hook, self._recorded(self._kinds[key], target, hook))
        try:
            yield
        finally:
            for table, key, hook, _ in replaced:
                if type(table.get(key)) is _RecordedHook:  # unless it was removed meanwhile
                    table[key] = hook

    def _target(self, owner: nn.Module | torch.optim.Optimizer) -> Target:
        if isinstance(owner, torch.optim.Optimizer):
            kind = type(owner).__name__  # after a step that failed, the optimizer can be freed
            return lambda: kind
        reference = weakref.ref(owner)

        def name() -> str:
            alive = reference()
            return self._names.of_module(alive) if alive is not None else "?"

        return name

    def _note_if_direct(self, kind: str, target: Target, hook: Callable) -> bool:
        """Note that a hook is registered, if the script does so itself; returns whether it does."""
        direct = False
        if self._log.is_recording:
            with self._log.suspended:
                if direct := self._log.script.is_caller():
                    self._log.add("reg", hook=kind, on=target(), fn=hook_name(hook))
        return direct

    def _recorded(self, kind: str, target: Target, hook: Callable) -> Callable:
        def recorded(*args, **kwargs):
            if not self._log.is_recording:
                return hook(*args, **kwargs)
            event = None
            with self._log.suspended:
                event = self._add_event(kind, target, hook, args)
            result = hook(*args, **kwargs)
            if event is not None:
                with self._log.suspended:
                    self._values.forget()  # changes of `.data` in a hook are not observed
                    if result is not None:
                        event["ret"] = self._values.values_of(result)
                    if kind == "post_accumulate":
                        self._changes.note_given(args[0])
                    if self._log.passes:
                        place = {key: event[key] for key in ("line", "file") if key in event}
                        self._changes.record_changes(Place(**place))
            return result

        return recorded

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
    """Stands in place of a hook and calls `recorded` for it. A copy of it is the hook."""

    def __init__(self, hook: Callable, recorded: Callable) -> None:
        functools.update_wrapper(self, hook)
        self._hook, self._recorded = hook, recorded

    def __call__(self, *args, **kwargs):
        return self._recorded(*args, **kwargs)

    def __reduce__(self) -> tuple:
        return operator.itemgetter(0), ((self._hook,),)


def hook_name(hook: Callable) -> str:
    """The name of a function; for another callable the name of its class."""
    return getattr(hook, "__name__", type(hook).__name__)
