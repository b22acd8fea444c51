"""Looks for nan, infinity or nothing but zeros in many tensors, at little cost."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from typing import Literal

import torch

Kind = Literal["nan", "inf", "zero"]
"""`nan`: a tensor holds nan; `inf`: it holds infinity or nan; `zero`: it holds zeros alone."""


class NumberCheck:
    """Looks for one kind of number. What is on a GPU is looked at there, and waited for only when
    it is read."""

    def __init__(self, kind: Kind, tensors: Iterable[torch.Tensor]) -> None:
        self._found: list[int] = []
        groups: dict[tuple, list[tuple[int, torch.Tensor]]] = {}
        for index, tensor in enumerate(tensors):
            if (numbers := _numbers(tensor)) is None:
                continue
            if numbers.device.type != "cpu":
                key = numbers.device, numbers.dtype
                groups.setdefault(key, []).append((index, numbers))
            elif _holds(kind, numbers):
                self._found.append(index)
        self._to_read: list[tuple[list[int], torch.Tensor]] = []
        for group in groups.values():
            indices, numbers = map(list, zip(*group, strict=True))
            greatest = torch.stack(torch._foreach_norm(numbers, math.inf))
            self._to_read.append((indices, _matches(kind, greatest)))

    @property
    def is_ready(self) -> bool:
        """Whether it can be read without waiting for a GPU."""
        return not self._to_read

    def first(self) -> int | None:
        """The index of the first tensor in which it was found."""
        found = self._found + [
            index
            for indices, flags in self._to_read
            for index, flag in zip(indices, flags.tolist(), strict=True)
            if flag
        ]
        return min(found, default=None)


def _numbers(tensor: torch.Tensor) -> torch.Tensor | None:
    """The numbers of a tensor that can be looked at without running code of others."""
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


def _matches(kind: Kind, greatest: torch.Tensor) -> torch.Tensor:
    """Where the greatest absolute number of a tensor is of the kind; it is nan where one is."""
    if kind == "zero":
        return greatest == 0
    return greatest.isnan() if kind == "nan" else ~greatest.isfinite()
