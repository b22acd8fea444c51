"""Records the backward passes: which nodes run, in which order, and what flows through them.

Every pass, of `backward()` and of `grad()`, goes through one function of torch. Before it begins,
hooks of ours are put on each node that it may reach; they turn what they get into numbers at once.
To keep a gradient would make torch copy what it otherwise takes.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.autograd.graph import _get_grad_fn_or_grad_acc

from gradtrace.model import Event
from gradtrace.record.event_log import Log
from gradtrace.record.leaf_changes import Changes
from gradtrace.record.registry import Graph, reachable
from gradtrace.record.suspend import OwnHandles
from gradtrace.record.values import value_of


class Passes:
    """Records the passes."""

    def __init__(self, log: Log, graph: Graph, changes: Changes, handles: OwnHandles) -> None:
        self._log, self._graph, self._changes, self._handles = log, graph, changes, handles
        self.count = 0
        """How many passes have begun."""
        self._running: dict[str, Event] = {}
        """Of the leaves to which a gradient is being added: their events, not yet at their end."""

    def engine(self, original: Callable) -> Callable:
        """The function that every pass goes through, recorded."""

        def run(outputs, *args, **kwargs):
            if not self._log.listens or self._log.full():
                return original(outputs, *args, **kwargs)
            number = self.count = self.count + 1
            hooks: list = []
            with self._log.aside:
                self._begin(number, outputs, args, kwargs)
                self._watch_all(outputs, number, hooks)
            self._log.passes.append(number)
            try:
                return original(outputs, *args, **kwargs)
            except Exception as error:
                with self._log.aside:
                    self.tell_error(error, p=number)
                raise
            finally:
                self._log.passes.pop()
                with self._log.aside:
                    for hook in hooks:
                        hook.remove()
                    self._changes.look()
                    self._log.event("backward_end", p=number)

        return run

    def tell_error(self, error: BaseException, **more: object) -> None:
        """Tell of an error, but not again when it leaves the pass around, or the script."""
        told = f"{type(error).__name__}: {error}"
        events = (e for e in reversed(self._log.trace.events) if e["k"] != "backward_end")
        if next(events, {}).get("msg") != told:
            self._log.event("error", msg=told, **more)

    def at(self) -> str | None:
        """The node at which backward stands now."""
        node = torch._C._current_autograd_node() if self._log.passes else None
        return None if node is None else self._graph.node(node)

    def added(self, leaf: torch.Tensor) -> None:
        """A gradient has just been added to `.grad`, and no hook has seen it yet."""
        name = self._graph.tensor(leaf)
        event = self._running.get(name)
        if event is not None and "after" not in event:
            event["after"] = self._changes.told_grad(name, leaf)

    def _begin(self, number: int, outputs, args: tuple, kwargs: dict) -> None:
        seeds, retain, create, inputs = (*args, *[None] * 4)[:4]
        self._changes.look()
        event = self._log.event(
            "backward",
            p=number,
            api="backward" if kwargs.get("accumulate_grad") else "grad",
            roots=[self._graph.tensor(t) if isinstance(t, torch.Tensor) else None for t in outputs],
            seed=[value_of(seed) for seed in seeds or ()],
            retain=bool(retain),
            create=bool(create),
        )
        if named := [t for t in inputs or () if isinstance(t, torch.Tensor)]:
            event["inputs"] = [self._graph.tensor(t) for t in named]

    def _watch_all(self, outputs, number: int, hooks: list) -> None:
        for node in reachable(_roots(outputs)):
            hooks += self._watch(node, number)

    def _watch(self, node: torch.autograd.graph.Node, number: int) -> list:
        name = self._graph.node(node)
        tell = self._accumulating if self._graph.leaf_of(name) else self._flowing
        before, after = tell(node, name, number)
        with self._handles:
            return [node.register_prehook(before), node.register_hook(after)]

    def _here(self, number: int) -> bool:
        """Whether this pass is the one that runs: another may run inside of it."""
        return self._log.passes[-1:] == [number]

    def _flowing(self, _, name: str, number: int) -> tuple[Callable, Callable]:
        event: Event = {}

        def before(gradients):
            nonlocal event
            if self._here(number):
                with self._log.aside:
                    event = self._log.event(
                        "node", n=name, p=number, gin=[value_of(g) for g in gradients]
                    )

        def after(sent, _):
            if self._here(number):
                with self._log.aside:
                    event["gout"] = [value_of(g) for g in sent]

        return before, after

    def _accumulating(self, node, name: str, number: int) -> tuple[Callable, Callable]:
        leaf = self._graph.leaf_of(name)
        variable = node.variable

        def before(gradients):
            if self._here(number):
                with self._log.aside:
                    self._running[leaf] = self._log.event(
                        "acc",
                        n=name,
                        p=number,
                        gin=[value_of(g) for g in gradients],
                        t=leaf,
                        before=self._changes.told_grad(leaf, variable),
                    )

        def after(*_):
            if self._here(number):
                with self._log.aside:
                    self.added(variable)
                    self._running.pop(leaf, None)

        return before, after


def _roots(outputs) -> list:
    """The nodes at which a pass begins; an output may be an edge of the graph, or have no node."""
    tensors = [t for t in outputs if isinstance(t, torch.Tensor) and t.requires_grad]
    edges = [edge.node for edge in outputs if not isinstance(edge, torch.Tensor)]
    return [_get_grad_fn_or_grad_acc(tensor) for tensor in tensors] + edges
