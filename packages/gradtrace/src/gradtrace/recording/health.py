"""Records what only the doctor needs: warnings, clipping, loss scaling, how far weights moved, dead
units.

Nothing here is drawn. It is measured only on request, since it costs time.
"""

from __future__ import annotations

import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import FrameType
from typing import Any

import torch
from torch.amp import grad_scaler
from torch.nn.utils import clip_grad

from gradtrace.recording.log import Recording
from gradtrace.recording.position import Place
from gradtrace.recording.tensor_values import shape_of, tensors_in, unreadable
from gradtrace.trace import Number, Sign

_CLIPPING = ("clip_grad_norm_", "clip_grad_value_")
_SCALING = {"scale": "scale", "unscale_": "unscale", "step": "scaler_step"}
"""Methods of a GradScaler, and the kinds of their signs."""
_RECTIFIERS = {"relu", "relu_", "relu6"}
_FLAT = 0.99
"""Beyond it the derivative of tanh is below 0.02."""
_SAMPLE = 4096
"""The number of evenly spread elements by which the movement of a larger weight is measured."""


class Health:
    """Adds `Sign`s to `Trace.health`, and measures weights and rectifiers."""

    def __init__(self, recording: Recording) -> None:
        self._log, self._registry = recording.log, recording.registry
        self._inside_scaler = False

    def observe(self, until: ExitStack) -> None:
        """Watch until the stack is closed."""
        self._patch(until, warnings, "showwarning", self._wrap_showwarning)
        for name in _CLIPPING:
            for owner in (clip_grad, torch.nn.utils):
                self._patch(until, owner, name, self._wrap_clipping)
        self._patch(until, torch.nn.Module, "to_empty", self._wrap_to_empty)
        for name, kind in _SCALING.items():
            wrap = functools.partial(self._wrap_scaler, kind=kind)
            self._patch(until, grad_scaler.GradScaler, name, wrap)

    def sample(self, weight: torch.Tensor) -> torch.Tensor | None:
        """A copy of some elements of a weight, to be passed to `moved`; None where it has none."""
        if unreadable(weight) or not shape_of(weight):
            return None
        flat = weight.detach().reshape(-1)
        return flat[:: max(1, len(flat) // _SAMPLE)][:_SAMPLE].clone()

    def moved(self, weight: torch.Tensor, before: torch.Tensor | None) -> Number | None:
        """How far a weight has moved since it was sampled: the norm of the change, over its norm
        before. None where that was zero."""
        if before is None or not (after := self.sample(weight)).numel():
            return None
        wide = torch.complex128 if before.is_complex() else torch.float64
        before, after = before.to(wide), after.to(wide)
        length = torch.linalg.vector_norm(before).item()
        ratio = torch.linalg.vector_norm(after - before).item() / length if length else float("nan")
        return float(f"{ratio:.4g}") if ratio < float("inf") else None

    def dead_units(self, name: str, out: Any) -> list[int] | None:
        """For the output of a rectifier: the number of units that are zero for the whole batch, of
        all units, and of values per unit. None for other operations, and where it cannot be
        read."""
        if name not in _RECTIFIERS or not isinstance(out, torch.Tensor) or unreadable(out):
            return None
        if out.dim() < 2:
            return None
        unit = out.dim() - 1 if out.dim() < 4 else 1  # the channel of images, else the last one
        alive = (out != 0).movedim(unit, 0).flatten(1).any(dim=1)
        return [int((~alive).sum()), len(alive), out.numel() // max(1, len(alive))]

    def saturated(self, name: str, out: Any) -> float | None:
        """The part of the outputs of a tanh where it is flat, as dead units are; None as there."""
        if name.strip("_") != "tanh" or not isinstance(out, torch.Tensor) or unreadable(out):
            return None
        return round((out.abs() > _FLAT).double().mean().item(), 4) if out.numel() else None

    def add(self, k: str, place: Place | None = None, **fields: object) -> Sign:
        """Add a sign at the current line of the user's code, or at `place`; returns it."""
        trace, place = self._log.trace, place or self._log.script.place()
        sign = Sign(k=k, at=len(trace.events), **place, **fields)
        trace.health.append(sign)
        return sign

    def _patch(self, until: ExitStack, owner: object, name: str, wrap: Callable) -> None:
        original = vars(owner)[name]
        setattr(owner, name, wrap(original))
        until.callback(setattr, owner, name, original)

    def _wrap_showwarning(self, original: Callable) -> Callable:
        def showwarning(message, category, *place, **more):
            if self._log.is_recording:
                with self._log.suspended:
                    sign = self.add("warning", text=str(message), kind=category.__name__)
                    frame: FrameType | None = sys._getframe()  # of the call that warns
                    while frame is not None and frame.f_code.co_name != "__torch_function__":
                        frame = frame.f_back
                    given = tensors_in(frame.f_locals.get("args") if frame else None)
                    sign["ts"] = [*map(self._registry.tensor, given)]
            return original(message, category, *place, **more)

        return showwarning

    def _wrap_to_empty(self, original: Callable) -> Callable:
        @functools.wraps(original)
        def to_empty(module: torch.nn.Module, *args, **kwargs):
            before = _shared(module)
            result = original(module, *args, **kwargs)
            if self._log.is_recording and (lost := before - _shared(module)):
                with self._log.suspended:
                    self.add("untied", names=[list(names) for names in sorted(lost)])
            return result

        return to_empty

    def _wrap_clipping(self, original: Callable) -> Callable:
        @functools.wraps(original)
        def clip(parameters, *args, **kwargs):
            if not self._log.is_recording:
                return original(parameters, *args, **kwargs)
            given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
            with self._log.suspended:
                with_grad = [self._registry.tensor(p) for p in given if p.grad is not None]
                self.add("clip", ts=with_grad, total=len(given))
            if isinstance(parameters, types.GeneratorType):  # PyTorch warns about an empty one
                parameters = (each for each in given)
            elif isinstance(parameters, Iterator):
                parameters = iter(given)
            return original(parameters, *args, **kwargs)

        return clip

    def _wrap_scaler(self, original: Callable, kind: str) -> Callable:
        @functools.wraps(original)
        def method(scaler, *args, **kwargs):
            if self._inside_scaler or not (self._log.is_recording and scaler.is_enabled()):
                return original(scaler, *args, **kwargs)
            with self._log.suspended:
                sign = self.add(kind, scale=scaler.get_scale())
            self._inside_scaler = True  # a step unscales by itself
            try:
                result = original(scaler, *args, **kwargs)
            finally:
                self._inside_scaler = False
            if kind == "scaler_step":
                with self._log.suspended:
                    infinite = scaler._found_inf_per_device(*args[:1] or (kwargs["optimizer"],))
                    sign["skipped"] = any(found.item() for found in infinite.values())
            return result

        return method


def _shared(module: torch.nn.Module) -> set[tuple[str, ...]]:
    """The names of each parameter that has several."""
    names: dict[int, tuple[str, ...]] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names[id(parameter)] = (*names.get(id(parameter), ()), name)
    return {found for found in names.values() if len(found) > 1}
