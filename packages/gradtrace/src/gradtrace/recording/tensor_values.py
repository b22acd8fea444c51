"""What a tensor holds, as a `Value`. To be called only while recording is suspended: reading runs
operations too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import torch
from torch._C import _functorch as functorch
from torch.nn.parameter import is_lazy

from gradtrace.recording.rounding import rounded, rounded_complex
from gradtrace.trace import Number, Value

MAX_FULL = 32
"""A tensor with at most so many elements is recorded in full."""


def value_of(tensor: torch.Tensor | None, summary: Callable[[torch.Tensor], Value]) -> Value | None:
    """The numbers of a tensor, all of them or a `summary`; keeps nothing of the tensor itself."""
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
        _put_all(tensor, value)
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
    """Something that is another if the tensor was changed, and costs less than its value.

    The version of a tensor is not enough: what is done to `.data` does not count there. Of a large
    tensor only the sum is looked at.
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
    """The shape, as far as there is one: not of a nested tensor, nor of a lazy parameter yet."""
    return [] if is_lazy(tensor) or tensor.is_nested else list(tensor.shape)


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Whether a transform of torch.func, or a backward pass with `is_grads_batched`, works on what
    it stands for."""
    batched = functorch.is_legacy_batchedtensor(tensor)
    return batched or functorch.is_functorch_wrapped_tensor(tensor)


def in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor; a copy of one that torch knows to be zero and gave no memory.

    A formula of backward returns such zeros where a derivative is zero everywhere, as of `sign`.
    """
    return tensor.clone() if tensor._is_zerotensor() else tensor


def printed(numbers: list, tensor: torch.Tensor) -> list[Number]:
    """The numbers as torch prints those of this tensor."""
    if tensor.is_floating_point():
        return rounded(numbers)
    return rounded_complex(numbers) if tensor.is_complex() else numbers


def _unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """What torch.func wraps while it differentiates."""
    while functorch.is_gradtrackingtensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def unreadable(tensor: torch.Tensor) -> str | None:
    """Why the numbers cannot be read without running code of others, or at all."""
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


def _put_all(tensor: torch.Tensor, value: Value) -> None:
    """Put all numbers of a tensor into its value."""
    nested = tensor.tolist()
    flat = printed(list(_flat(nested)), tensor)
    if len(flat) > 1 and flat.count(flat[0]) == len(flat):
        value["v"], value["c"] = flat[0], 1
    else:
        value["v"] = _filled(nested, iter(flat))


def _flat(nested: Any) -> Iterable:
    return chain.from_iterable(map(_flat, nested)) if isinstance(nested, list) else (nested,)


def _filled(nested: Any, numbers: Iterator[Number]) -> Any:
    """The same nest with other numbers in it."""
    if isinstance(nested, list):
        return [_filled(part, numbers) for part in nested]
    return next(numbers)
