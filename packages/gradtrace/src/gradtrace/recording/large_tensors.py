"""Sums up the numbers of large tensors. To be called only while recording is suspended."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from gradtrace.recording.rounding import FIXED, SCIENTIFIC, are_far_apart, rounded_alone
from gradtrace.recording.tensor_values import printed
from gradtrace.trace import Number, Value

MAX_DISTINCT = 4
"""Of a tensor with at most so many different numbers, these are recorded and counted."""

_MAX_COUNTED = 100_000
"""Different numbers are counted only up to this size of a tensor,"""
_FEW = 16
"""... and only if so many of its elements show no more than `MAX_DISTINCT`,"""
_PROBE = 1000
"""... and only if so many of its elements hold no more than"""
_MAX_UNROUNDED = 256
"""... so many different ones before rounding."""

_PART = 1 << 16
"""So many elements are made wide at a time, so that no large tensor is copied."""
_ORDERED = (torch.float32, torch.float64)
"""Types of which the least and the greatest number are found fast without making them wide."""


class LargeTensors:
    """Sums up tensors part by part, each in the same memory."""

    def __init__(self) -> None:
        self._rooms: dict[torch.device, torch.Tensor] = {}
        """On each device the room for one part."""

    def summary_of(self, tensor: torch.Tensor) -> Value:
        """What is recorded of a large tensor: its few different numbers, or a summary."""
        elements = _in_memory_order(tensor)
        if (distinct := _distinct(elements)) is not None:
            return {"u": distinct}
        return {"m": self._summary(elements)}

    def _summary(self, tensor: torch.Tensor) -> list[Number]:
        """The least number, the mean, the greatest, the Euclidean norm, each rounded by itself."""
        least, greatest, total, squares = math.inf, -math.inf, 0.0, 0.0
        for part in _parts(tensor):
            wide = self._widened(part)
            low, high = (part if part.dtype in _ORDERED else wide).aminmax()
            least, greatest = _least(least, low.item()), -_least(-greatest, -high.item())
            total, squares = total + wide.sum().item(), squares + wide.dot(wide).item()
        mean, norm = total / tensor.numel(), math.sqrt(squares)
        # What is left of a sum that is zero differs from machine to machine.
        noise = torch.finfo(tensor.dtype).eps if tensor.is_floating_point() else 1e-15
        if math.isfinite(mean) and abs(mean) < noise * max(abs(least), abs(greatest)):
            mean = 0.0
        return [*map(rounded_alone, (least, mean, greatest, norm))]

    def _widened(self, part: torch.Tensor) -> torch.Tensor:
        """The elements of a part as float64, in one dimension; absolute values if complex."""
        if (room := self._rooms.get(part.device)) is None:
            with torch.inference_mode(False):  # it is written to outside of that mode, too
                room = torch.empty(_PART, dtype=torch.float64, device=part.device)
            self._rooms[part.device] = room
        wide = room if part.numel() == _PART else room[: part.numel()]
        shaped = wide if part.dim() == 1 else wide.view(part.shape)
        shaped.copy_(part.abs() if part.is_complex() else part)
        return wide


def _in_memory_order(tensor: torch.Tensor) -> torch.Tensor:
    """The elements of a tensor as they lie in memory: in one dimension, unless there are gaps."""
    if not tensor.is_contiguous():
        tensor = tensor.permute(sorted(range(tensor.dim()), key=tensor.stride, reverse=True))
    return tensor.view(-1) if tensor.is_contiguous() else tensor


def _distinct(tensor: torch.Tensor) -> list[list[Number]] | None:
    """The different numbers, each with how often it is there; None where there are many."""
    if tensor.numel() > _MAX_COUNTED or tensor.is_complex():
        return None
    if _are_more(_first_row(tensor)[:_FEW].tolist(), tensor):
        return None
    flat = tensor.reshape(-1)
    if flat[:_PROBE].unique().numel() > _MAX_UNROUNDED:
        return None
    found, counts = flat.unique(return_counts=True)
    if found.numel() > _MAX_UNROUNDED:
        return None
    rounded_counts: dict[Number, int] = {}
    for number, count in zip(printed(found.tolist(), tensor), counts.tolist(), strict=True):
        rounded_counts[number] = rounded_counts.get(number, 0) + count
    if len(rounded_counts) > MAX_DISTINCT:
        return None
    return [[number, count] for number, count in rounded_counts.items()]


def _first_row(tensor: torch.Tensor) -> torch.Tensor:
    """Some elements of a tensor, in one dimension, without a copy of others."""
    while tensor.dim() > 1 and (tensor.dim() > 2 or tensor.shape[1] >= _FEW):
        tensor = tensor[0]
    return tensor.reshape(-1)


def _are_more(numbers: list, tensor: torch.Tensor) -> bool:
    """Whether some of the numbers of a tensor show already that it holds many different ones.

    All numbers together are rounded in one of two ways: where that isn't known yet, these have to
    differ in both.
    """
    if len(set(numbers)) <= MAX_DISTINCT:
        return False
    if not tensor.is_floating_point():
        return True
    if not _show_more(numbers, SCIENTIFIC):
        return False
    return are_far_apart(numbers) or _show_more(numbers, FIXED)


def _show_more(numbers: list, way: str) -> bool:
    shown: set[str] = set()
    for number in numbers:
        shown.add(format(number, way))
        if len(shown) > MAX_DISTINCT:
            return True
    return False


def _parts(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """A tensor in parts that are views of it, none of them large."""
    if tensor.numel() <= _PART:
        yield tensor
        return
    along = max((n for n in range(tensor.dim()) if tensor.shape[n] > 1), key=tensor.stride)
    whole = tensor.shape[along]
    for part in tensor.split(max(1, whole * _PART // tensor.numel()), dim=along):
        yield from _parts(part)


def _least(one: float, other: float) -> float:
    """The lesser of two numbers; nan where one of them is."""
    return other if other < one or math.isnan(other) else one
