"""The local derivatives of a node: the factors by which it multiplies its gradient.

They are not computed from formulas: the node itself is called with one unit vector after the other
as its gradient, just before the engine runs it, since its saved tensors exist only until then. Such
a call only computes: the engine alone runs hooks and frees saved tensors. A node that may do more
is never called (`_is_plain`), nor is one that isn't small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

import torch
from torch.autograd.graph import Node

from gradtrace.recording.tensor_values import ValueReader, in_memory, is_wrapped
from gradtrace.trace import LocalDerivative

MAX_OUTPUT = 16
"""The maximum number of calls of a node: once for each element of its output,"""
MAX_INPUT = 32
"""... and only if none of its inputs has more elements."""
MAX_MATRIX = 36
"""The maximum number of elements of a general matrix of derivatives that is recorded."""
_ROUNDINGS = 64
"""The allowed difference between a product and the sent gradient, in units of the dtype's
precision: it is added up in another order."""
_REFUSED = ("Rnn", "RNN")
"""Parts of the names of nodes that are not called, since they may free their saved tensors."""

Matrix = list[list[float]]
"""A row for each element of the output, a column for each of the input."""


Jacobians = tuple[torch.Tensor, list[Matrix | None]]
"""A copy of the gradient that a node received, into which the node may write; and the matrix for
each of its inputs, where there is one."""


class LocalDerivatives:
    """Finds local derivatives. Call only while recording is suspended."""

    def __init__(self, values: ValueReader) -> None:
        self._values = values
        self._saved: dict[type, list[str]] = {}
        """The attributes in which nodes of a type store saved tensors."""

    def before(self, node: Node, gradients: Sequence[torch.Tensor | None]) -> Jacobians | None:
        """The matrices of a node that is about to run; None where it cannot be called."""
        if len(gradients) != 1 or not _is_small(gradients[0]):
            return None
        gradient = gradients[0]
        try:
            shapes = _shapes_of_inputs(node)
            if shapes is None or not self._is_plain(node):
                return None
            rows = []
            for unit in torch.eye(gradient.numel(), dtype=gradient.dtype).unbind():
                sent = node(unit.view(gradient.shape))
                rows.append([sent] if isinstance(sent, torch.Tensor) or sent is None else sent)
            matrices = list(map(_matrix, zip(*rows, strict=True), shapes))
        except Exception:  # its saved tensors are freed or changed: it will raise when it runs
            return None
        return gradient.clone(), matrices

    def after(
        self, found: Jacobians, sent: Sequence[torch.Tensor | None]
    ) -> list[LocalDerivative | None]:
        """The local derivatives for inputs whose matrix reproduces the gradient that was `sent`."""
        gradient, matrices = found
        pairs = zip(matrices, sent, strict=True)
        return [self._described(gradient, matrix, each) for matrix, each in pairs]

    def _is_plain(self, node: Node) -> bool:
        """Whether a call of the node only computes: it isn't defined by the script or an extension,
        and reading its saved tensors runs no hook."""
        name, kind = node.name(), type(node)
        of_script = issubclass(kind, torch.autograd.function.BackwardCFunction)
        if of_script or kind.__name__ != name or any(part in name for part in _REFUSED):
            return False
        if (names := self._saved.get(kind)) is None:
            names = [each for each in dir(kind) if each.startswith("_raw_saved_")]
            self._saved[kind] = names
        for each in names:
            saved = getattr(node, each)
            for one in saved if isinstance(saved, (list, tuple)) else (saved,):
                # Before PyTorch 2.7 it isn't known whether there is a hook.
                if one is not None and getattr(one, "unpack_hook", one) is not None:
                    return False
        return True

    def _described(
        self, gradient: torch.Tensor, matrix: Matrix | None, sent: torch.Tensor | None
    ) -> LocalDerivative | None:
        if matrix is None or not _is_small(sent, MAX_INPUT) or sent.numel() != len(matrix[0]):
            return None
        sent = in_memory(sent)
        if not _agree(gradient, matrix, sent):
            return None
        form = _form(matrix, tuple(gradient.shape), tuple(sent.shape))
        if form is None:
            return None
        how, numbers, shape = form
        # No negative zeros, which come from the zeros of the unit vectors.
        tensor = torch.tensor([x + 0.0 for x in numbers], dtype=gradient.dtype).view(shape)
        return {"how": how, "by": self._values.value_of(tensor)}


def _is_small(tensor: torch.Tensor | None, most: int = MAX_OUTPUT) -> bool:
    """Whether it is a small plain tensor of PyTorch with real numbers, on the CPU."""
    return (
        tensor is not None
        and not is_wrapped(tensor)
        and type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
        and tensor.layout is torch.strided
        and tensor.is_floating_point()
        and tensor.device.type == "cpu"
        and not tensor.is_nested
        and 0 < tensor.numel() <= most
    )


def _shapes_of_inputs(node: Node) -> list[torch.Size | None] | None:
    """The shape of each input that gets a gradient; None if one of them isn't small."""
    shapes: list[torch.Size | None] = []
    for to, slot in node.next_functions:
        metadata = None if to is None else to._input_metadata[slot]
        if metadata is not None and (
            metadata.is_nested_tensor or math.prod(metadata.shape) > MAX_INPUT
        ):
            return None
        shapes.append(None if metadata is None else torch.Size(metadata.shape))
    return shapes


def _matrix(rows: Sequence[torch.Tensor | None], shape: torch.Size | None) -> Matrix | None:
    """The matrix with these rows, one per output element, for an input of this shape; None if some
    are missing, or not all numbers are finite."""
    if shape is None or not all(_is_small(row, MAX_OUTPUT * MAX_INPUT) for row in rows):
        return None
    # The engine adds up what a node returns for an input that was broadcast.
    matrix = [in_memory(row).sum_to_size(shape).reshape(-1).tolist() for row in rows]
    return matrix if all(map(math.isfinite, chain.from_iterable(matrix))) else None


def _agree(gradient: torch.Tensor, matrix: Matrix, sent: torch.Tensor) -> bool:
    """Whether the sent gradient is the received one times the matrix; hooks may change it."""
    received, precision = gradient.reshape(-1).tolist(), torch.finfo(sent.dtype).eps
    for column, number in zip(zip(*matrix, strict=True), sent.reshape(-1).tolist(), strict=True):
        terms = [g * x for g, x in zip(received, column, strict=True)]
        if not all(map(math.isfinite, terms)):
            return False
        size = math.fsum(map(abs, terms))
        # A difference with nan or infinity compares as false.
        if not abs(math.fsum(terms) - number) <= _ROUNDINGS * precision * size:
            return False
    return True


def _form(
    matrix: Matrix, out: tuple[int, ...], into: tuple[int, ...]
) -> tuple[str, list[float], tuple[int, ...]] | None:
    """The simplest form of multiplying the gradient by the matrix: the name of the form, its
    numbers, and their shape. `out`, `into`: shapes of the output and input."""
    height, width = len(matrix), len(matrix[0])
    diagonal = _diagonal(matrix)
    if diagonal is not None and len(set(diagonal)) == 1:
        return "times", diagonal[:1], ()
    if diagonal is not None and out == into:
        return "times", diagonal, into
    if height == 1:
        return "times", matrix[0], into
    if width == 1:
        return "dot", [row[0] for row in matrix], out
    if (same := _placed(matrix)) is not None:
        return "placed", [same], ()
    if (right := _right(matrix, out, into)) is not None:
        return "right", *right
    if (left := _left(matrix, out, into)) is not None:
        return "left", *left
    if height * width > MAX_MATRIX:
        return None
    return "matrix", list(chain.from_iterable(matrix)), (height, width)


def _diagonal(matrix: Matrix) -> list[float] | None:
    """The diagonal, if everything else is zero."""
    if len(matrix) != len(matrix[0]) or any(x for i, j, x in _elements(matrix) if i != j):
        return None
    return [row[i] for i, row in enumerate(matrix)]


def _placed(matrix: Matrix) -> float | None:
    """The factor of every element, if each element of the input gets one of the output, or none."""
    numbers = set()
    for column in zip(*matrix, strict=True):
        others = [x for x in column if x]
        if len(others) > 1:
            return None
        numbers.update(others)
    return next(iter(numbers), 0.0) if len(numbers) < 2 else None


def _right(
    matrix: Matrix, out: tuple[int, ...], into: tuple[int, ...]
) -> tuple[list[float], tuple[int, ...]] | None:
    """The matrix that multiplies the gradient from the right, the same for each row."""
    if not out or not into or out[:-1] != into[:-1]:
        return None
    high, wide = out[-1], into[-1]
    block = [row[:wide] for row in matrix[:high]]
    for i, j, x in _elements(matrix):
        same = i // high == j // wide
        if x != (block[i % high][j % wide] if same else 0):
            return None
    return list(chain.from_iterable(block)), (high, wide)


def _left(
    matrix: Matrix, out: tuple[int, ...], into: tuple[int, ...]
) -> tuple[list[float], tuple[int, ...]] | None:
    """The matrix that multiplies the gradient from the left, the same for each column."""
    if len(out) != 2 or len(into) not in (1, 2) or out[-1] != into[-1]:
        return None
    wide = out[-1]
    height = len(matrix[0]) // wide
    block = [[matrix[i * wide][j * wide] for i in range(out[0])] for j in range(height)]
    for i, j, x in _elements(matrix):
        same = i % wide == j % wide
        if x != (block[j // wide][i // wide] if same else 0):
            return None
    return list(chain.from_iterable(block)), (*into[:-1], out[0])


def _elements(matrix: Matrix) -> Iterator[tuple[int, int, float]]:
    return ((i, j, x) for i, row in enumerate(matrix) for j, x in enumerate(row))
