"""Waits to record until a step of an optimizer, or until a number is bad.

Until then the script runs at full speed: only the entry of the autograd engine and the ends of the
optimizers' steps are observed.
"""

from __future__ import annotations

import cmath
import contextlib
import math
import sys
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook

from gradtrace.recording.backward_passes import roots_of
from gradtrace.recording.optimizers import parameters_of
from gradtrace.recording.position import after_return
from gradtrace.recording.recorder import SEED, Recorder, RecordingFailed
from gradtrace.recording.registry import leaf_of_node, reachable

Kind = Literal["nan", "inf", "zero"]
"""`nan`: a tensor holds nan; `inf`: it holds infinity or nan; `zero`: it holds zeros alone."""


def first_with(kind: Kind, tensors: Iterable[torch.Tensor]) -> int | None:
    """The index of the first tensor with this kind of number. Those on a GPU are checked there, and
    the results read together, which waits for it only once."""
    found: list[int] = []
    groups: dict[tuple, dict[int, torch.Tensor]] = {}
    for index, tensor in enumerate(tensors):
        if (numbers := _numbers(tensor)) is None:
            continue
        if numbers.device.type != "cpu":
            groups.setdefault((numbers.device, numbers.dtype), {})[index] = numbers
        elif _holds(kind, numbers):
            found.append(index)
    for group in groups.values():
        # The largest absolute number of a tensor is nan if any number is.
        greatest = torch.stack(torch._foreach_norm([*group.values()], math.inf))
        wrong = ~greatest.isfinite() if kind == "inf" else greatest.isnan()
        wrong = greatest == 0 if kind == "zero" else wrong
        found += [i for i, is_wrong in zip(group, wrong.tolist(), strict=True) if is_wrong]
    return min(found, default=None)


def _numbers(tensor: torch.Tensor) -> torch.Tensor | None:
    """The numbers of a tensor that can be read without running other code."""
    if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ or tensor.is_nested:
        return None
    if tensor.layout is torch.sparse_coo:
        tensor = tensor._values()
    counts = tensor.is_floating_point() or tensor.is_complex()
    return tensor if counts and tensor.numel() and not tensor.is_meta else None


def _holds(kind: Kind, tensor: torch.Tensor) -> bool:
    # The sum is quick, and rules out most: numbers may cancel to zero or add up to infinity, but
    # where it is another number, they are not all zero, and where it is finite, all are.
    total = tensor.sum().item()
    if kind == "zero":
        return total == 0 and not tensor.any()
    if cmath.isfinite(total):
        return False
    return bool(tensor.isnan().any() if kind == "nan" else not tensor.isfinite().all())


def _wrong_gradient(kind: Kind, parameters: Iterable[torch.Tensor]) -> torch.Tensor | None:
    """The first parameter whose gradient holds this kind of number."""
    with_grad = [parameter for parameter in parameters if parameter.grad is not None]
    first = first_with(kind, [parameter.grad for parameter in with_grad])
    return None if first is None else with_grad[first]


Until = Literal["nan", "inf", "zero-grad"]
"""The events that a watch waits for: nan, or infinity or nan, at the start of a backward pass or in
the gradient of a parameter; or an all-zero gradient at a step of its optimizer."""


@dataclass(frozen=True)
class Beginning:
    """Where in the script the recording began: after this number of optimizer `steps` and backward
    `passes`. `found`: "step", or the bad number's place: "start" of a pass, "grad" or "zero"; `of`
    the parameter."""

    found: Literal["step", "start", "grad", "zero"]
    steps: int
    passes: int
    of: torch.Tensor | None = None


class Watch:
    """`with watch:` around the run of a script begins the recording after `first - 1` steps of the
    optimizer that made the most, or at the event named by `until`.

    A GPU is waited for at the start and at the end of each checked pass, or at each step.
    """

    def __init__(self, recorder: Recorder, first: int | None, until: Until | None) -> None:
        self.beginning: Beginning | None = None
        self.steps = self.passes = 0
        """The number of steps so far, by the optimizer that made the most, and of passes."""
        self._recorder, self._first, self._until = recorder, first, until
        self._steps: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
        self._running = 0
        self._thread = threading.get_ident()
        self._undo = ExitStack()

    def __enter__(self) -> None:
        torch.manual_seed(SEED)
        self._engine = torch.autograd._engine_run_backward
        torch.autograd._engine_run_backward = self._run_backward
        self._undo.callback(setattr, torch.autograd, "_engine_run_backward", self._engine)
        with self._recorder.handle_ids:
            self._undo.callback(register_optimizer_step_post_hook(self._step_ended).remove)
        if self._first == 1:
            self._begin("step")

    def __exit__(self, *error: object) -> None:
        self._undo.close()
        if self.beginning is not None:
            self._recorder.__exit__(*error)

    def _begin(self, found: str, of: torch.Tensor | None = None) -> None:
        if self.beginning is not None:
            return
        self._undo.close()
        self.beginning = Beginning(found, self.steps, self.passes, of)
        with contextlib.suppress(RecordingFailed):  # the recorder stores the reason
            self._recorder.begin(self._steps)

    def _run_backward(self, outputs, *args, **kwargs):
        """Replaces the engine's function that every pass calls."""
        if threading.get_ident() != self._thread:
            return self._engine(outputs, *args, **kwargs)
        looks = self._until in ("nan", "inf") and not self._running
        if looks:
            first = None
            with self._recorder.suspended:
                starts = [each for each in outputs if isinstance(each, torch.Tensor)]
                first = first_with(self._until, starts)
            if first is not None:
                self._begin("start")
        if self.beginning is not None:  # the function is the recorder's now
            return torch.autograd._engine_run_backward(outputs, *args, **kwargs)
        self.passes += 1
        self._running += 1
        try:
            result = self._engine(outputs, *args, **kwargs)
        finally:
            self._running -= 1
        if looks and self.beginning is None:
            of = None
            with self._recorder.suspended:
                of = _wrong_gradient(self._until, self._parameters(outputs))
            if of is not None:
                self._begin("grad", of)
        return result

    def _parameters(self, outputs) -> list[torch.Tensor]:
        """The parameters of all optimizers that made a step; without any, the graph's leaves."""
        if self._steps:
            return [p for optimizer in self._steps for p in parameters_of(optimizer)]
        leaves = map(leaf_of_node, reachable(roots_of(outputs)))
        return [leaf for leaf in leaves if leaf is not None]

    def _step_ended(self, optimizer: Optimizer, *_: object) -> None:
        if threading.get_ident() != self._thread:
            return
        made = self._steps[optimizer] = self._steps.get(optimizer, 0) + 1
        self.steps = max(self.steps, made)
        found, of = None, None
        if self._until == "zero-grad":
            with self._recorder.suspended:
                of = _wrong_gradient("zero", parameters_of(optimizer))
                found = None if of is None else "zero"
        elif self.steps + 1 == self._first:
            found = "step"
        if found is not None:
            # Not while the optimizer iterates over its hooks, to which the recorder adds some.
            after_return(sys._getframe(1), lambda: self._begin(found, of))
