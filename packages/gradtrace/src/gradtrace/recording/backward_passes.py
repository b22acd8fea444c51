"""Records the backward passes: which nodes run, in which order, and the gradients at each.

Every pass, of `backward()` and of `grad()`, goes through one function of torch. Before it begins,
hooks are registered on each node that it may reach; they read gradients at once, since holding
a reference to a gradient would make torch copy it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import torch
from torch.autograd.graph import _get_grad_fn_or_grad_acc

from gradtrace.recording.local_derivatives import LocalDerivatives
from gradtrace.recording.log import Recording
from gradtrace.recording.registry import leaf_of_node, reachable
from gradtrace.trace import Event


class BackwardPasses:
    """Records the backward passes of the script, `max_passes` at most.

    `when_full` is called, in the thread of the script, once recording ends. `health`: also what
    the doctor asks for.
    """

    def __init__(
        self,
        recording: Recording,
        max_passes: int | None,
        when_full: Callable[[], None],
        health: bool = False,
    ) -> None:
        self._max_passes, self._when_full, self._health = max_passes, when_full, health
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._handle_ids = recording.changes, recording.handle_ids
        self._values = recording.values
        self._derivatives = LocalDerivatives(recording.values)
        self.count = 0
        """The number of passes that have begun."""
        self._running: dict[str, Event] = {}
        """The unfinished `acc` events of the leaves to which a gradient is being added."""

    def wrap_engine(
        self, original: Callable, with_hooks: Callable[[], AbstractContextManager]
    ) -> Callable:
        """The engine's function that every pass calls, with recording; `with_hooks` has the hooks
        on tensors recorded."""

        def run(outputs, *args, **kwargs):
            if self._log.is_recorded_thread and not self._log.passes:
                self._log.close_if_full()
                if self._log.is_recording and self.count == self._max_passes:
                    self._log.open = False
                if not self._log.open:
                    self._when_full()
            if not self._log.is_recording:
                return original(outputs, *args, **kwargs)
            number = self.count = self.count + 1
            hooks: list = []
            with self._log.suspended:
                self._begin(number, outputs, args, kwargs)
                hooks += self._register_hooks(outputs, number)
            self._log.passes.append(number)
            try:
                with with_hooks():
                    return original(outputs, *args, **kwargs)
            except Exception as error:
                with self._log.suspended:
                    self.add_error(error, p=number)
                raise
            finally:
                self._log.passes.pop()
                with self._log.suspended:
                    self._values.forget()
                    for hook in hooks:
                        hook.remove()
                    self._changes.record_changes()
                    self._log.add("backward_end", p=number)

        return run

    def add_error(self, error: BaseException, **more: object) -> None:
        """Add an error, but not again when it propagates out of an outer pass, or the script."""
        message = f"{type(error).__name__}: {error}"
        events = (e for e in reversed(self._log.trace.events) if e["k"] != "backward_end")
        if next(events, {}).get("msg") != message:
            self._log.add("error", msg=message, **more)

    def running_node(self) -> str | None:
        """The running node of a backward pass."""
        node = torch._C._current_autograd_node() if self._log.passes else None
        return None if node is None else self._registry.node(node)

    def note_accumulated(self, leaf: torch.Tensor) -> None:
        """A gradient was added to `.grad`, before any hook of the script sees it."""
        name = self._registry.tensor(leaf)
        event = self._running.get(name)
        if event is not None and "after" not in event:
            event["after"] = self._changes.note_grad(name, leaf)

    def _begin(self, number: int, outputs, args: tuple, kwargs: dict) -> None:
        seeds, retain, create, inputs = (*args, *[None] * 4)[:4]
        self._changes.record_changes()
        if number == 1 and self._health:
            self._registry.note_gone()
        event = self._log.add(
            "backward",
            p=number,
            api="backward" if kwargs.get("accumulate_grad") else "grad",
            roots=[
                self._registry.tensor(t) if isinstance(t, torch.Tensor) else None for t in outputs
            ],
            seed=[self._values.value_of(seed) for seed in seeds or ()],
            retain=bool(retain),
            create=bool(create),
        )
        if self._log.outline:
            event["outline"] = True
        if self._log.outline or self._health:  # what a framework computed was not recorded
            for root, t in zip(event["roots"], outputs, strict=True):
                if root is not None:
                    self._registry.note_first_value(root, self._values.value_of(t))
        if named := [t for t in inputs or () if isinstance(t, torch.Tensor)]:
            event["inputs"] = [self._registry.tensor(t) for t in named]

    def _register_hooks(self, outputs, number: int) -> list:
        """Register hooks on all nodes that the pass may reach; returns their handles."""
        handles = []
        for node in reachable(roots_of(outputs)):
            if self._log.outline and leaf_of_node(node) is None:
                continue
            key = self._registry.node(node)
            is_leaf = self._registry.leaf_of(key) is not None
            hooks = self._accumulate_hooks if is_leaf else self._node_hooks
            before, after = hooks(node, key, number)
            with self._handle_ids:
                handles += [node.register_prehook(before), node.register_hook(after)]
        return handles

    def _is_innermost(self, number: int) -> bool:
        """Whether this pass is the innermost one running: passes may be nested."""
        return self._log.passes[-1:] == [number]

    def _node_hooks(self, node, key: str, number: int) -> tuple[Callable, Callable]:
        """The functions called before and after a node runs."""
        event: Event = {}
        jacobians = None

        def before(gradients):
            nonlocal event, jacobians
            if self._is_innermost(number):
                with self._log.suspended:
                    event = self._log.add(
                        "node", n=key, p=number, gin=[self._values.value_of(g) for g in gradients]
                    )
                    jacobians = self._derivatives.before(node, gradients)

        def after(sent, _):
            nonlocal jacobians
            if self._is_innermost(number):
                with self._log.suspended:
                    event["gout"] = [self._values.value_of(g) for g in sent]
                    found, jacobians = jacobians, None
                    local = self._derivatives.after(found, sent) if found else []
                    if any(local):
                        event["local"] = local

        return before, after

    def _accumulate_hooks(self, node, key: str, number: int) -> tuple[Callable, Callable]:
        """The same for an AccumulateGrad."""
        leaf = self._registry.leaf_of(key)
        variable = node.variable

        def before(gradients):
            if self._is_innermost(number):
                with self._log.suspended:
                    self._running[leaf] = self._log.add(
                        "acc",
                        n=key,
                        p=number,
                        gin=[self._values.value_of(g) for g in gradients],
                        t=leaf,
                        before=self._changes.note_grad(leaf, variable),
                    )

        def after(*_):
            if self._is_innermost(number):
                with self._log.suspended:
                    self.note_accumulated(variable)
                    self._running.pop(leaf, None)

        return before, after


def roots_of(outputs: Sequence) -> list:
    """The nodes at which a pass begins; an output may be an edge of the graph, or have no node."""
    tensors = [t for t in outputs if isinstance(t, torch.Tensor) and t.requires_grad]
    edges = [edge.node for edge in outputs if not isinstance(edge, torch.Tensor)]
    return [_get_grad_fn_or_grad_acc(tensor) for tensor in tensors] + edges
