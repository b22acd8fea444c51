"""Undoes what the presence of a function mode would change in a script."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import torch
from torch import nn
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode,
    _get_current_function_mode_stack,
    _pop_mode,
    _pop_mode_temporarily,
    _push_mode,
    handle_torch_function,
)
from torch.overrides import __file__ as overrides_file

from gradtrace.recording.after_return import after_return
from gradtrace.recording.tensor_values import tensors_in

MODULES_WITH_FAST_PATH = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder)
"""Their `forward` has a fast path for when no gradient is wanted, and no function mode active."""


def wrap_fast_path(mode: TorchFunctionMode, original: Callable) -> Callable:
    """The `forward` of a module with a fast path. Where it makes no graph it runs without `mode`,
    as there is nothing to record in it. With a mode of the script it has no fast path anyway."""

    @functools.wraps(original)
    def forward(module: nn.Module, *args, **kwargs):
        if _get_current_function_mode() is not mode or _makes_graph(module, args, kwargs):
            return original(module, *args, **kwargs)
        with _pop_mode_temporarily():
            return original(module, *args, **kwargs)

    return forward


def _makes_graph(module: nn.Module, args: tuple, kwargs: dict) -> bool:
    tensors = [*module.parameters(), *tensors_in((args, kwargs))]
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def push_outermost(mode: TorchFunctionMode) -> None:
    """Make a mode active around those that the script has entered, which it leaves in their turn:
    to leave one takes away the innermost, whichever that is."""
    inner = [_pop_mode() for _ in _get_current_function_mode_stack()]
    for each in (mode, *reversed(inner)):
        _push_mode(each)


def take_away(mode: TorchFunctionMode) -> None:
    """Take a mode out from among those that are active: at once, or where the present call has come
    through it, so that torch has set it aside, when torch has put it back."""
    stack = _get_current_function_mode_stack()
    if any(each is mode for each in stack):
        for _ in stack:
            _pop_mode()
        for each in stack:
            if each is not mode:
                _push_mode(each)
        return
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not handle_torch_function.__code__:
        frame = frame.f_back
    if frame is not None:
        after_return(frame, lambda: take_away(mode))


class WarningRegistries:
    """The `__warningregistry__` of each line that calls a function mode.

    Python shows a warning once for each line that raises it. What a function mode calls raises its
    warnings at one line of the mode, so that only the first of all would be shown.
    """

    def __init__(self) -> None:
        self._by_place: dict[tuple[str, int], dict] = {}

    def here(self) -> dict:
        """The registry of the line that has called the mode; to be called from the mode itself."""
        frame = sys._getframe(2)
        if frame.f_code.co_filename == overrides_file:  # a Python function of torch called it
            frame = frame.f_back.f_back or frame
        return self._by_place.setdefault((frame.f_code.co_filename, frame.f_lineno), {})
