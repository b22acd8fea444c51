"""Records what optimizers do: their steps, and `zero_grad`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from gradtrace.recording.health import Health
from gradtrace.recording.log import Recording


class OptimizerSteps:
    """Records the steps of all optimizers, with every parameter before and after.

    After `max_steps` of one of them nothing more is recorded.
    """

    def __init__(
        self, recording: Recording, max_steps: int | None, health: Health | None = None
    ) -> None:
        self._max_steps, self._health = max_steps, health
        self._log, self._registry = recording.log, recording.registry
        self._changes, self._handle_ids = recording.changes, recording.handle_ids
        self._begun: dict[int, list[dict]] = {}
        """The rows of the parameters before a step, by the id of the optimizer."""
        self._made: dict[int, int] = {}
        """The number of steps that each optimizer has made, by its id."""
        self._samples: dict[int, list[torch.Tensor | None]] = {}
        """Some of their elements, for the doctor."""

        self._passes: dict[int, int] = {}
        """The number of passes before the running step of each, for the doctor."""

    def observe(self, until: ExitStack) -> None:
        """Record all steps until the stack is closed."""
        with self._handle_ids:
            until.callback(register_optimizer_step_pre_hook(self._begins).remove)
            until.callback(register_optimizer_step_post_hook(self._ends).remove)

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

    def wrap_add_param_group(self, original: Callable) -> Callable:
        """`add_param_group`, through which an optimizer gets all its parameters."""

        @functools.wraps(original)
        def add_param_group(optimizer: torch.optim.Optimizer, *args, **kwargs):
            result = original(optimizer, *args, **kwargs)
            if self._log.is_recording:
                with self._log.suspended:
                    self.note_parameters(optimizer)
            return result

        return add_param_group

    def note_parameters(self, optimizer: torch.optim.Optimizer) -> None:
        """Note which parameters an optimizer has been given."""
        for parameter in parameters_of(optimizer):
            self._registry.note_held(parameter, type(optimizer).__name__)

    def add_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Add the step that was made, unless it was added before a hook of the script ran."""
        rows = self._begun.pop(id(optimizer), None)
        if rows is None:
            return
        for parameter, row in zip(parameters_of(optimizer), rows, strict=True):
            # The step of an extension in C++ may not count a version.
            stepped = parameter.grad is not None
            row["after"] = self._changes.note_value(row["t"], parameter, written=stepped)
        rate = _number(optimizer.param_groups[0].get("lr"))
        if self._health is not None:
            samples = self._samples.pop(id(optimizer))
            groups = (group for group in optimizer.param_groups for _ in group["params"])
            given = zip(parameters_of(optimizer), groups, samples, rows, strict=True)
            for parameter, group, sample, row in given:
                row |= _settings(optimizer, group, rate)
                if (moved := self._health.moved(parameter, sample)) is not None:
                    row["moved"] = moved
        event = self._log.add("step", opt=type(optimizer).__name__, lr=rate, params=rows)
        if self._health is not None and self._passes.pop(id(optimizer)) < self._log.begun:
            event["closure"] = True

    def _begins(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if not self._log.is_recording:
            return
        with self._log.suspended:
            self._changes.record_changes()
            self._begun[id(optimizer)] = [
                {
                    "t": (name := self._registry.tensor(parameter)),
                    "before": self._changes.note_value(name, parameter),
                    "grad": self._changes.note_grad(name, parameter),
                }
                for parameter in parameters_of(optimizer)
            ]
            if self._health is not None:
                self._passes[id(optimizer)] = self._log.begun
                self._samples[id(optimizer)] = [*map(self._health.sample, parameters_of(optimizer))]

    def _ends(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if self._log.is_recording:
            with self._log.suspended:
                self.add_step(optimizer)
                made = self._made[id(optimizer)] = self._made.get(id(optimizer), 0) + 1
                self._log.open = made != self._max_steps


def parameters_of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """All parameters of an optimizer, group by group."""
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _settings(optimizer: torch.optim.Optimizer, group: dict, rate: float | None) -> dict:
    """For a row of a step: its learning rate, if that of the step is another, and the part of the
    weight that weight decay takes, which Adam's normalization would hide."""
    own, found = _number(group.get("lr")), {}
    if own != rate:
        found["lr"] = own
    if isinstance(optimizer, (torch.optim.SGD, torch.optim.AdamW)) and group["weight_decay"]:
        found["decay"] = own * _number(group["weight_decay"])
    return found


def _number(given: object) -> Any:
    return given.item() if isinstance(given, torch.Tensor) else given
