"""Reads the values of tensors, and what lies in the same memory only once."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from gradtrace.recording.large_tensors import LargeTensors
from gradtrace.recording.tensor_values import value_of
from gradtrace.trace import Value

_MOST = 4096
"""So many summaries are kept at most."""


class _Summary(NamedTuple):
    """A summary of a piece of memory in one version."""

    tensor: torch._C._WeakTensorRef
    """A tensor that lies there: as long as it lives nothing else gets its address. No reference to
    its storage: with one, torch adds up gradients in new memory, not in place."""
    version: int
    value: Value


class ValueReader:
    """Reads values. A gradient that one node sends and another receives, or a view, which differs
    in its shape alone, is read once; small tensors are read each time.

    What is written to without a version must be forgotten.
    """

    def __init__(self) -> None:
        self._summaries: dict[tuple, _Summary] = {}
        self._large = LargeTensors()

    def value_of(self, tensor: torch.Tensor | None) -> Value | None:
        """The numbers of a tensor, all of them or a summary."""
        return value_of(tensor, self._summary_of)

    def values_of(self, things: Any) -> Any:
        """The values of all tensors in nested tuples, lists and dicts; what is no tensor is left
        out, but for None."""
        if isinstance(things, torch.Tensor):
            return self.value_of(things)
        if isinstance(things, (list, tuple)):
            return [self.values_of(thing) for thing in things if _may_hold_tensors(thing)]
        if isinstance(things, dict):
            return {
                str(key): self.values_of(thing)
                for key, thing in things.items()
                if _may_hold_tensors(thing)
            }
        return None

    def forget(self) -> None:
        """Read everything anew."""
        self._summaries.clear()

    def _summary_of(self, tensor: torch.Tensor) -> Value:
        if tensor.is_inference() or tensor.is_complex() or tensor.is_neg():
            return self._large.summary_of(tensor)
        if tensor.requires_grad and tensor._base is None and tensor.grad_fn is None:
            return self._large.summary_of(tensor)  # `w.data = ...` moves a leaf, which lives on
        place = tensor.data_ptr(), _elements(tensor), tensor.dtype, tensor.device
        known = self._summaries.get(place)
        if known and not known.tensor.expired() and known.version == tensor._version:
            value = known.value
        else:
            if len(self._summaries) >= _MOST:
                self.forget()
            value = self._large.summary_of(tensor)
        # The tensor that was seen last may live on alone: a node sends a view of what it got.
        alive = torch._C._WeakTensorRef(tensor)
        self._summaries[place] = _Summary(alive, tensor._version, value)
        return value


def _elements(tensor: torch.Tensor) -> tuple[tuple[int, int], ...]:
    """Which elements from its first one on a tensor has, in whatever order: (stride, length) of
    each dimension, those together that lie without a gap."""
    if tensor.is_contiguous():
        return ((1, tensor.numel()),)
    found: list[tuple[int, int]] = []
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size == 1:
            continue
        if found and found[-1][0] * found[-1][1] == stride:
            found[-1] = found[-1][0], found[-1][1] * size
        else:
            found.append((stride, size))
    return tuple(found)


def _may_hold_tensors(thing: Any) -> bool:
    return thing is None or isinstance(thing, (torch.Tensor, list, tuple, dict))
