"""Moves the last bits of results, as another processor would: for `proofbook shake`.

A sum, a matrix product or an exponential is rounded in an order, or by an approximation, that
differs between processors: its result may be one unit in the last place away. Additions, products,
quotients and square roots of single numbers are rounded correctly everywhere (IEEE 754), and so are
results that need no rounding at all.
"""

from __future__ import annotations

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

_CORRECTLY_ROUNDED = frozenset(
    {"add", "sub", "rsub", "mul", "div", "sqrt", "reciprocal", "remainder", "fmod"}
    | {"round", "floor", "ceil", "trunc", "linspace", "arange", "copy", "_to_copy"}
)
"""Operations that IEEE 754 rounds in one way; those in place and on lists are called the same."""

_HALVES = (torch.float16, torch.bfloat16)


class LastBits(TorchDispatchMode):
    """While it is active, each inexact result is moved by one unit in the last place, or left.

    `seed`: which way each element goes. The generator of the script is not touched.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = torch.Generator().manual_seed(seed)
        self.moved: set[str] = set()
        """The names of the operations whose results were moved."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = function._schema.name.partition("::")[2]
        if _is_portable(function, name, kwargs):
            return function(*args, **kwargs)
        wide = None if _is_view(function) else _exactly(function, args, kwargs)
        result = function(*args, **kwargs)
        if wide is not None:
            for tensor, exact in zip(tree_leaves(result), wide, strict=False):
                if isinstance(tensor, torch.Tensor) and isinstance(exact, torch.Tensor):
                    self._move(tensor, exact, name)
        return result

    def _move(self, tensor: torch.Tensor, exact: torch.Tensor, name: str) -> None:
        """Move those elements of a result that rounding has changed."""
        if not tensor.is_floating_point() or tensor.layout is not torch.strided:
            return
        if tensor.shape != exact.shape:
            return
        # Nothing wider than float64 is at hand: what float32 can hold was hardly rounded.
        wider = exact if tensor.dtype != torch.float64 else tensor.to(torch.float32).double()
        rounded = tensor.double() != wider
        rounded &= tensor.isfinite()
        if not rounded.any():
            return
        self.moved.add(name)
        way = torch.randint(-1, 2, tensor.shape, generator=self._random)
        up = torch.nextafter(tensor, torch.full_like(tensor, torch.inf))
        down = torch.nextafter(tensor, torch.full_like(tensor, -torch.inf))
        moved = torch.where(way > 0, up, torch.where(way < 0, down, tensor))
        with torch.no_grad():
            tensor.copy_(torch.where(rounded, moved, tensor))


def _is_portable(function, name: str, kwargs: dict) -> bool:
    """Whether an operation gives the same on every processor."""
    if torch.Tag.nondeterministic_seeded in function.tags:
        return True  # numbers drawn from a generator; drawn again, they would be others
    # `a + 3 * b` is rounded once where there is an instruction for it, and twice elsewhere.
    fused = kwargs.get("alpha", 1) not in (1, -1)
    return name.removeprefix("_foreach_").rstrip("_") in _CORRECTLY_ROUNDED and not fused


def _is_view(function) -> bool:
    """Whether the result is another view of an argument: nothing is computed."""
    returns = function._schema.returns
    return any(r.alias_info is not None and not r.alias_info.is_write for r in returns)


def _exactly(function, args, kwargs) -> list | None:
    """The results in float64; those of arguments that are float64 already are not more exact.

    None where there is nothing to round, or the operation does not take float64.
    """
    leaves = tree_leaves((args, kwargs))
    if not any(isinstance(x, torch.Tensor) and x.is_floating_point() for x in leaves):
        return None

    def widened(tensor: torch.Tensor) -> torch.Tensor:
        wide = tensor.detach()
        return wide.double() if wide.dtype in (torch.float32, *_HALVES) else wide.clone()

    try:
        wide_args, wide_kwargs = tree_map_only(torch.Tensor, widened, (args, kwargs))
        return tree_leaves(function(*wide_args, **wide_kwargs))
    except (RuntimeError, TypeError, NotImplementedError):
        return None
