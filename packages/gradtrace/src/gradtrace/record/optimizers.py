"""Records what optimizers do: their steps, and `zero_grad`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from gradtrace.record.event_log import Log
from gradtrace.record.leaf_changes import Changes
from gradtrace.record.registry import Graph
from gradtrace.record.suspend import OwnHandles
from gradtrace.record.values import value_of


class Steps:
    """Records the steps of all optimizers, with every parameter before and after."""

    def __init__(self, log: Log, graph: Graph, changes: Changes) -> None:
        self._log, self._graph, self._changes = log, graph, changes
        self._before: dict[int, list[dict]] = {}

    def watch(self, handles: OwnHandles, until: ExitStack) -> None:
        with handles:
            for register, hook in (
                (register_optimizer_step_pre_hook, self._begins),
                (register_optimizer_step_post_hook, self._ends),
            ):
                until.callback(register(hook).remove)

    def zero_grad(self, original: Callable) -> Callable:
        """`zero_grad` of an optimizer or a module, recorded as its changes."""

        @functools.wraps(original)
        def zero_grad(*args, **kwargs):
            if not self._log.listens:
                return original(*args, **kwargs)
            with self._log.aside:
                self._changes.look()
            result = original(*args, **kwargs)
            with self._log.aside:
                self._changes.look(by="zero_grad")
            return result

        return zero_grad

    def made(self, optimizer: torch.optim.Optimizer) -> None:
        """A step has been made: tell it, unless that was done before a hook of the script."""
        told = self._before.pop(id(optimizer), None)
        if told is None:
            return
        for parameter, row in zip(_parameters(optimizer), told, strict=True):
            row["after"] = self._changes.told_value(row["t"], parameter)
        rate = optimizer.param_groups[0].get("lr")
        rate = rate.item() if isinstance(rate, torch.Tensor) else rate
        self._log.event("step", opt=type(optimizer).__name__, lr=rate, params=told)

    def _begins(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if not self._log.listens:
            return
        with self._log.aside:
            self._changes.look()
            self._before[id(optimizer)] = [
                {
                    "t": self._graph.tensor(parameter),
                    "before": value_of(parameter),
                    "grad": value_of(parameter.grad),
                }
                for parameter in _parameters(optimizer)
            ]

    def _ends(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if self._log.listens:
            with self._log.aside:
                self.made(optimizer)


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]
