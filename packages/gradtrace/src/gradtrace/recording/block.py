"""Begins to record a program that is running already."""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch
from torch import nn

from gradtrace.recording.recorder import Recorder
from gradtrace.recording.script_position import calling_frame
from gradtrace.recording.user_files import cell_name, text_of

Code = tuple[str, str]
"""The name of a file, as code has it, and its text."""


def is_recording() -> bool:
    """Whether a recording is running, or waits for its beginning."""
    return torch.autograd._engine_run_backward.__module__.startswith("gradtrace.")


def begin(
    model: nn.Module | None, optimizers: Iterable[torch.optim.Optimizer], code: Code | None = None
) -> tuple[Recorder, str]:
    """Begin to record the code that has called gradtrace, or the `code` that is run next; gives the
    recorder, and what the code is called: the name of its file or cell."""
    if code is None:
        file = calling_frame().f_code.co_filename
        code = file, text_of(file)
    file, text = code
    recorder = Recorder(file, text, health=True)
    recorder.begin(optimizers, model)
    return recorder, cell_name(file) or os.path.basename(file)
