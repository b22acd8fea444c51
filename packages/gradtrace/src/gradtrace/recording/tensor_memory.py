"""Where a tensor lies in memory, and whether it may have been written to. Reads no number of it."""

from __future__ import annotations

import torch

from gradtrace.recording.tensor_values import fingerprint


def memory_of(tensor: torch.Tensor) -> int:
    """A number that all tensors in the same memory have in common, as long as one of them lives."""
    try:
        return tensor.untyped_storage()._cdata
    except RuntimeError:  # a sparse tensor has no memory of its own, a transform hides it
        return tensor._cdata


def is_foreign(tensor: torch.Tensor) -> bool:
    """Whether others may write to a tensor so that torch counts no version: its memory was not made
    by torch (`torch.from_numpy`, a file), or it is a part of more (a bucket of gradients)."""
    try:
        storage = tensor.untyped_storage()
        return not storage.resizable() or storage.nbytes() > tensor.nbytes
    except RuntimeError:
        return False


def stamp_of(tensor: torch.Tensor | None) -> object:
    """Something that is another if a tensor was replaced or moved, or written to by its name or
    that of a view. What is done to `.data` counts no version."""
    if tensor is None:
        return None
    try:
        return id(tensor), tensor._version, tensor.data_ptr()
    except RuntimeError:  # it has no memory of its own, or counts no versions
        return id(tensor), fingerprint(tensor)
