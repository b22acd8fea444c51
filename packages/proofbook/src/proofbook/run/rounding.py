"""Changes the last bits of results, as another processor would: for `proofbook shake`.

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
    | {"_new_zeros_with_same_feature_meta"}  # `torch.func.linearize` records it
)
"""Operations that IEEE 754 rounds correctly; in-place and list operations have the same names."""

_COLLECTIVES = ("c10d", "_c10d_functional")
"""The namespaces of operations by which processes exchange tensors."""

_HALVES = (torch.float16, torch.bfloat16)


class OtherRounding(TorchDispatchMode):
    """While it is active, each inexact result is moved by one unit in the last place.

    `seed`: determines the direction for each element. The generator of the script is not used.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = torch.Generator().manual_seed(seed)
        self._kinds: dict = {}  # of the operations so far: a training calls few of them often

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function not in self._kinds:
            self._kinds[function] = _kind(function)
        # `a + 3 * b` is rounded once where there is an instruction for it, and twice elsewhere.
        fused = kwargs.get("alpha", 1) not in (1, -1)
        kind = self._kinds[function]
        if kind == "exact" or (kind == "correctly rounded" and not fused):
            return function(*args, **kwargs)
        tensors = [x for x in tree_leaves((args, kwargs)) if _is_result(x)]
        # The arguments before the operation, which may be in place, for the exact result.
        wide = _exactly(function, args, kwargs) if tensors else None
        inputs = [x.detach().flatten().clone() for x in tensors if x.dtype == torch.float64]
        result = function(*args, **kwargs)
        for tensor, exact in zip(tree_leaves(result), wide or (), strict=False):
            if _is_result(tensor) and tensor.shape == exact.shape:
                self._move(tensor, exact, inputs)
        return result

    def _move(self, tensor: torch.Tensor, exact: torch.Tensor, inputs: list[torch.Tensor]) -> None:
        """Move those elements of a result that rounding has changed."""
        if tensor.dtype != torch.float64:
            rounded = tensor.double() != exact
        else:
            # No wider type is available. A value that float32 can hold was hardly rounded, and one
            # that an argument holds was copied.
            rounded = tensor.float().double() != tensor
            if inputs and rounded.any():
                rounded &= ~torch.isin(tensor, torch.cat(inputs))
        rounded &= tensor.isfinite()
        if not rounded.any():
            return
        up = torch.randint(0, 2, tensor.shape, generator=self._random, dtype=tensor.dtype)
        moved = torch.nextafter(tensor, (2 * up - 1) * torch.inf)
        with torch.no_grad():
            tensor.copy_(torch.where(rounded, moved, tensor))


def _kind(function) -> str:
    """Whether the results of an operation are "exact", "correctly rounded" or "inexact"."""
    if torch.Tag.nondeterministic_seeded in function.tags:
        return "exact"  # numbers drawn from a generator; drawn again, they would be others
    if function.namespace in _COLLECTIVES:
        # Called twice, it would exchange twice; and its result may not have arrived yet.
        return "exact"
    schema = function._schema
    views = [r.alias_info for r in schema.returns if r.alias_info and not r.alias_info.is_write]
    if views or not any("Tensor" in str(argument.type) for argument in schema.arguments):
        return "exact"  # nothing is computed
    name = schema.name.partition("::")[2].removeprefix("_foreach_").rstrip("_")
    return "correctly rounded" if name in _CORRECTLY_ROUNDED else "inexact"


def _is_result(value) -> bool:
    """Whether this is a tensor of numbers that can have been rounded; one sharded over processes is
    computed as its component tensors."""
    return (
        type(value) in (torch.Tensor, torch.nn.Parameter)
        and value.is_floating_point()
        and value.layout is torch.strided
    )


def _exactly(function, args, kwargs) -> list | None:
    """The results in float64; if the arguments are float64 already, they are not more exact.

    None if the operation does not support float64.
    """

    def widened(tensor: torch.Tensor) -> torch.Tensor:
        wide = tensor.detach()
        return wide.double() if wide.dtype in (torch.float32, *_HALVES) else wide.clone()

    try:
        wide_args, wide_kwargs = tree_map_only(torch.Tensor, widened, (args, kwargs))
        return tree_leaves(function(*wide_args, **wide_kwargs))
    except (RuntimeError, TypeError, NotImplementedError):
        return None
