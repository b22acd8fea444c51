"""The contents of a tensor as a `Value`: rounded, in full or as a summary; read once where shared.

Call only while recording is suspended: reading runs operations too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import torch
from torch._C import _functorch as functorch
from torch.nn.parameter import is_lazy

from gradtrace.trace import Number, Value

FIXED, SCIENTIFIC = ".4f", ".4e"
_EXACT = 2.0**53
"""Up to this number a float represents every integer."""


def rounded(numbers: Sequence[float]) -> list[Number]:
    """The numbers of one tensor, rounded together: four decimals, or four significant ones after
    the first where they are far apart, very small or very large."""
    pattern = SCIENTIFIC if are_far_apart(numbers) else FIXED
    return [_number(x, pattern) for x in numbers]


def are_far_apart(numbers: Sequence[float]) -> bool:
    """Whether numbers that are rounded together are printed in scientific notation: if some of them
    are far apart, all of them are."""
    sizes = [abs(x) for x in numbers if x and math.isfinite(x)]
    if not sizes:
        return False
    least, greatest = min(sizes), max(sizes)
    return greatest / least > 1000 or greatest > 1e8 or least < 1e-4


def rounded_alone(number: float) -> Number:
    """A number that is rounded by itself."""
    far = math.isfinite(number) and number and not 1e-4 <= abs(number) <= 1e8
    return _number(number, SCIENTIFIC if far else FIXED)


def rounded_complex(numbers: Sequence[complex]) -> list[Number]:
    """The same for complex numbers: torch rounds all real parts together, then the others."""
    real, imaginary = rounded([z.real for z in numbers]), rounded([z.imag for z in numbers])
    return [
        f"{a}{b}j" if str(b).startswith("-") else f"{a}+{b}j"
        for a, b in zip(real, imaginary, strict=True)
    ]


def _number(x: float, pattern: str) -> Number:
    if not math.isfinite(x):
        return str(x)
    number = float(format(x, pattern))
    minus_zero = not number and math.copysign(1, number) < 0  # printed with its sign
    whole = number.is_integer() and abs(number) < _EXACT and not minus_zero
    return int(number) if whole else number


MAX_FULL = 32
"""A tensor with at most this many elements is recorded in full."""


def value_of(tensor: torch.Tensor | None, summary: Callable[[torch.Tensor], Value]) -> Value | None:
    """The numbers of a tensor, all of them or a `summary`; holds no reference to the tensor."""
    if tensor is None:
        return None
    tensor = _unwrapped(tensor)
    value: Value = {"s": shape_of(tensor)}
    if tensor.dtype is not torch.float32:
        value["d"] = str(tensor.dtype).removeprefix("torch.")
    if why := unreadable(tensor):
        value["layout"] = why
        return value
    tensor = in_memory(tensor)
    if tensor.numel() <= MAX_FULL:
        nested = tensor.tolist()
        flat = printed(list(_flat(nested)), tensor)
        if len(flat) > 1 and flat.count(flat[0]) == len(flat):
            value["v"], value["c"] = flat[0], 1
        else:
            value["v"] = _filled(nested, iter(flat))
    else:
        value |= summary(tensor)
    return value


def tensors_in(things: Any) -> Iterator[torch.Tensor]:
    """All tensors in nested tuples, lists and dicts."""
    if isinstance(things, torch.Tensor):
        yield things
    elif isinstance(things, (list, tuple)):
        yield from chain.from_iterable(map(tensors_in, things))
    elif isinstance(things, dict):
        yield from chain.from_iterable(map(tensors_in, things.values()))


def fingerprint(tensor: torch.Tensor | None) -> object:
    """A value that differs if the tensor was changed, and is cheaper to compute than its `Value`.

    The version of a tensor is not enough: changes of `.data` do not count there. Of a large tensor
    only the sum is used.
    """
    if tensor is None:
        return None
    tensor = _unwrapped(tensor)
    if unreadable(tensor):
        return shape_of(tensor), None if tensor.is_inference() else tensor._version
    tensor = in_memory(tensor)
    small = tensor.numel() <= MAX_FULL
    wide = torch.complex128 if tensor.is_complex() else torch.float64
    return list(tensor.shape), tensor.tolist() if small else tensor.sum(dtype=wide).item()


def shape_of(tensor: torch.Tensor) -> list[int]:
    """The shape, if it has one: a nested tensor and an unused lazy parameter have none."""
    return [] if is_lazy(tensor) or tensor.is_nested else list(tensor.shape)


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Whether a transform of torch.func, or a backward pass with `is_grads_batched`, wraps it."""
    batched = functorch.is_legacy_batchedtensor(tensor)
    return batched or functorch.is_functorch_wrapped_tensor(tensor)


def in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor; a copy of one that torch knows to be zero and has not allocated.

    A backward formula returns such zeros where a derivative is zero everywhere, as for `sign`.
    """
    return tensor.clone() if tensor._is_zerotensor() else tensor


def printed(numbers: list, tensor: torch.Tensor) -> list[Number]:
    """The numbers as torch prints those of this tensor."""
    if tensor.is_floating_point():
        return rounded(numbers)
    return rounded_complex(numbers) if tensor.is_complex() else numbers


def _unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor that torch.func wraps while it differentiates."""
    while functorch.is_gradtrackingtensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def unreadable(tensor: torch.Tensor) -> str | None:
    """Why the numbers cannot be read without running other code, or at all."""
    if is_wrapped(tensor):
        return "vmap"
    kind = type(tensor)
    if is_lazy(tensor):
        return "lazy"
    if kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return kind.__name__
    if tensor.is_nested:
        return "nested"
    if tensor.layout is not torch.strided:
        return str(tensor.layout)
    if tensor.is_quantized:
        return "quantized"
    if tensor.is_meta:
        return "meta"
    return None


def _flat(nested: Any) -> Iterable:
    return chain.from_iterable(map(_flat, nested)) if isinstance(nested, list) else (nested,)


def _filled(nested: Any, numbers: Iterator[Number]) -> Any:
    """The same nest with other numbers in it."""
    if isinstance(nested, list):
        return [_filled(part, numbers) for part in nested]
    return next(numbers)


def memory_of(tensor: torch.Tensor) -> int:
    """A number shared by all tensors in the same memory, as long as one of them lives."""
    try:
        return tensor.untyped_storage()._cdata
    except RuntimeError:  # a sparse tensor has no memory of its own, a transform hides it
        return tensor._cdata


def is_foreign(tensor: torch.Tensor) -> bool:
    """Whether other code may write to a tensor without torch counting a version: its memory was not
    allocated by torch (`torch.from_numpy`, a file), or it is part of a larger block (a bucket of
    gradients)."""
    try:
        storage = tensor.untyped_storage()
        return not storage.resizable() or storage.nbytes() > tensor.nbytes
    except RuntimeError:
        return False


def stamp_of(tensor: torch.Tensor | None) -> object:
    """A value that differs if a tensor was replaced or moved, or written to directly or through a
    view. Changes of `.data` count no version."""
    if tensor is None:
        return None
    try:
        return id(tensor), tensor._version, tensor.data_ptr()
    except RuntimeError:  # it has no memory of its own, or counts no versions
        return id(tensor), fingerprint(tensor)


MAX_DISTINCT = 4
"""If a tensor has at most this many different numbers, these are recorded and counted."""

_MAX_COUNTED = 100_000
"""Different numbers are counted only up to this number of elements,"""
_FEW = 16
"""... and only if this many of its elements show no more than `MAX_DISTINCT`,"""
_PROBE = 1000
"""... and only if this many of its elements hold no more than"""
_MAX_UNROUNDED = 256
"""... this many different ones before rounding."""

_PART = 1 << 18
"""The number of elements that are converted at a time, so that no large tensor is copied."""
_ORDERED = (torch.float32, torch.float64)
"""Types whose minimum and maximum are found fast without conversion."""


class LargeTensors:
    """Sums up tensors part by part, each in the same memory."""

    def __init__(self) -> None:
        self._rooms: dict[torch.device, torch.Tensor] = {}
        """The buffer for one part, by device."""

    def summary_of(self, tensor: torch.Tensor) -> Value:
        """The record of a large tensor: its few different numbers, or a summary."""
        # As they lie in memory: in one dimension, unless there are gaps.
        if not tensor.is_contiguous():
            tensor = tensor.permute(sorted(range(tensor.dim()), key=tensor.stride, reverse=True))
        elements = tensor.view(-1) if tensor.is_contiguous() else tensor
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
        # The rounding error of a sum that is zero differs between machines.
        noise = torch.finfo(tensor.dtype).eps if tensor.is_floating_point() else 1e-15
        if math.isfinite(mean) and abs(mean) < noise * max(abs(least), abs(greatest)):
            mean = 0.0
        return [*map(rounded_alone, (least, mean, greatest, norm))]

    def _widened(self, part: torch.Tensor) -> torch.Tensor:
        """The elements of a part as float64, in one dimension; absolute values if complex."""
        if (room := self._rooms.get(part.device)) is None:
            with torch.inference_mode(False):  # it is also written to outside of that mode
                room = torch.empty(_PART, dtype=torch.float64, device=part.device)
            self._rooms[part.device] = room
        wide = room if part.numel() == _PART else room[: part.numel()]
        shaped = wide if part.dim() == 1 else wide.view(part.shape)
        shaped.copy_(part.abs() if part.is_complex() else part)
        return wide


def _distinct(tensor: torch.Tensor) -> list[list[Number]] | None:
    """The different numbers, each with its count; None if there are many."""
    if tensor.numel() > _MAX_COUNTED or tensor.is_complex() or _are_more(tensor):
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


def _are_more(tensor: torch.Tensor) -> bool:
    """Whether a few numbers of a tensor already show that it holds many different ones.

    All numbers together are rounded in one of two ways: if that isn't known yet, these have to
    differ in both. No other numbers are copied.
    """
    while tensor.dim() > 1 and (tensor.dim() > 2 or tensor.shape[1] >= _FEW):
        tensor = tensor[0]
    numbers = tensor.reshape(-1)[:_FEW].tolist()
    if len(set(numbers)) <= MAX_DISTINCT or not tensor.is_floating_point():
        return len(set(numbers)) > MAX_DISTINCT
    ways = (SCIENTIFIC,) if are_far_apart(numbers) else (SCIENTIFIC, FIXED)
    return all(len({format(number, way) for number in numbers}) > MAX_DISTINCT for way in ways)


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
    """The lesser of two numbers; nan if one of them is."""
    return other if other < one or math.isnan(other) else one


_MOST = 4096
"""The maximum number of cached summaries."""


class ValueReader:
    """Reads values. A gradient that one node sends and another receives, or a view that differs
    only in its shape, is read once; small tensors are read each time.

    After writes that count no version, call `forget`.
    """

    def __init__(self) -> None:
        self._summaries: dict[tuple, tuple[torch._C._WeakTensorRef, int, Value]] = {}
        """For a piece of memory a tensor there, its version, and the summary. While the tensor
        lives, nothing else gets its address. Not a reference to its storage, which would make torch
        add up gradients in new memory, not in place."""
        self._large = LargeTensors()

    def value_of(self, tensor: torch.Tensor | None) -> Value | None:
        """The numbers of a tensor, all of them or a summary."""
        return value_of(tensor, self._summary_of)

    def values_of(self, things: Any) -> Any:
        """The values of all tensors in nested tuples, lists and dicts; anything else is omitted,
        except None."""
        kinds = (torch.Tensor, list, tuple, dict, type(None))
        if isinstance(things, torch.Tensor):
            return self.value_of(things)
        if isinstance(things, (list, tuple)):
            return [self.values_of(thing) for thing in things if isinstance(thing, kinds)]
        if isinstance(things, dict):
            things = {str(key): thing for key, thing in things.items() if isinstance(thing, kinds)}
            return {key: self.values_of(thing) for key, thing in things.items()}
        return None

    def forget(self) -> None:
        """Clear the cache."""
        self._summaries.clear()

    def _summary_of(self, tensor: torch.Tensor) -> Value:
        if tensor.is_inference() or tensor.is_complex() or tensor.is_neg():
            return self._large.summary_of(tensor)
        if tensor.requires_grad and tensor._base is None and tensor.grad_fn is None:
            return self._large.summary_of(tensor)  # `w.data = ...` moves a leaf, which lives on
        place = tensor.data_ptr(), _elements(tensor), tensor.dtype, tensor.device
        known, version, value = self._summaries.get(place, (None, 0, None))
        if known is None or known.expired() or version != tensor._version:
            if len(self._summaries) >= _MOST:
                self.forget()
            value = self._large.summary_of(tensor)
        # Only the tensor seen last may live on: a node sends a view of what it received.
        alive = torch._C._WeakTensorRef(tensor)
        self._summaries[place] = alive, tensor._version, value
        return value


def _elements(tensor: torch.Tensor) -> tuple[tuple[int, int], ...]:
    """The elements of a tensor from its first one on, in any order: (stride, length) of each
    dimension; contiguous dimensions are merged."""
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
