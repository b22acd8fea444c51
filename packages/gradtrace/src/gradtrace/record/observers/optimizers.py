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

from gradtrace.record.recording import Recording
from gradtrace.record.tensor_values import value_of


class OptimizerSteps:
    """Records the steps of all optimizers, with every parameter before and after."""

    def __init__(self, recording: Recording) -> None:
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._handle_ids = recording.changes, recording.handle_ids
        self._begun: dict[int, list[dict]] = {}
        """The rows of the parameters before a step, by the id of the optimizer."""

    def observe(self, until: ExitStack) -> None:
        """Record all steps until the stack is closed."""
        with self._handle_ids:
            for register, hook in (
                (register_optimizer_step_pre_hook, self._begins),
                (register_optimizer_step_post_hook, self._ends),
            ):
                until.callback(register(hook).remove)

    def wrap_zero_grad(self, original: Callable) -> Callable:
        """`zero_grad` of an optimizer or a module, with its changes recorded."""

        @functools.wraps(original)
        def zero_grad(*args, **kwargs):
            if not self._log.is_recording:
                return original(*args, **kwargs)
            with self._log.suspended:
                self._changes.record_changes()
            result = original(*args, **kwargs)
            with self._log.suspended:
                self._changes.record_changes(by="zero_grad")
            return result

        return zero_grad

    def add_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Add the step that was made, unless it was added before a hook of the script ran."""
        rows = self._begun.pop(id(optimizer), None)
        if rows is None:
            return
        for parameter, row in zip(_parameters(optimizer), rows, strict=True):
            row["after"] = self._changes.note_value(row["t"], parameter)
        rate = optimizer.param_groups[0].get("lr")
        rate = rate.item() if isinstance(rate, torch.Tensor) else rate
        self._log.add("step", opt=type(optimizer).__name__, lr=rate, params=rows)

    def _begins(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if not self._log.is_recording:
            return
        with self._log.suspended:
            self._changes.record_changes()
            self._begun[id(optimizer)] = [
                {
                    "t": self._registry.tensor(parameter),
                    "before": value_of(parameter),
                    "grad": value_of(parameter.grad),
                }
                for parameter in _parameters(optimizer)
            ]

    def _ends(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if self._log.is_recording:
            with self._log.suspended:
                self.add_step(optimizer)


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]
