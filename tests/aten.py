"""Runs scripts plain and recorded, each in a fork, and returns what both printed and computed.

The operations are those that torch itself counts while it runs them (the observer behind its
profilers): from C++ and without a dispatch mode, so that counting changes none of them. The bits of
parameters and gradients are read from memory, which is no operation of torch.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from forks import in_forks


class Run(NamedTuple):
    """What a script printed, the operations that ran, in order, with the shapes they got, the bits
    of its parameters after each step and at its end, and the text of the recording, if it was
    recorded."""

    stdout: str
    operations: list
    parameters: list
    trace: str = ""


def compared(scripts: Sequence[Path]) -> dict[Path, tuple[Run, Run]]:
    """Of each script, the plain run and the recorded one; as many at a time as there are cores."""
    os.environ["OMP_NUM_THREADS"] = "1"
    jobs = [(str(script), recorded) for script in scripts for recorded in (False, True)]
    runs = in_forks(_run, jobs)
    return {script: (next(runs), next(runs)) for script in scripts}


def _run(job: tuple[str, bool]) -> Run:
    # Under such a name it is no file of the user, whose lines the recorder would record too.
    itself: dict = {"__name__": "aten"}
    exec(compile(Path(__file__).read_text("utf-8"), "<aten>", "exec"), itself)
    return Run(*itself["observed"](*job))


def observed(script: str, recorded: bool) -> tuple[str, list, list, str]:
    """What a `Run` holds, of a script run in this process."""
    import torch
    from gradtrace import Recorder, execute, format_trace
    from proofbook.run.server import preload_optimizers, preload_torch
    from torch._C._autograd import _disable_profiler_legacy, _enable_profiler_legacy
    from torch._C._profiler import ProfilerConfig, ProfilerState, _ExperimentalConfig

    preload_torch()
    preload_optimizers()
    recorder = Recorder(script) if recorded else None
    sys.argv, sys.path[:0] = [script], [os.path.dirname(script)]
    torch.manual_seed(0)  # as the recorder does it
    steps = _parameters_after_steps()
    how = ProfilerConfig(ProfilerState.CPU, True, False, False, False, False, _ExperimentalConfig())
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        os.chdir(folder)
        _enable_profiler_legacy(how)
        with recorder or contextlib.nullcontext():
            execute(script)
        events = [event for thread in _disable_profiler_legacy() for event in thread]
        os.chdir("/")
    begun = [event for event in events if event.kind() == "push"]
    # The threads of gloo report when they like.
    ran = [[event.name(), event.shapes()] for event in begun if "gloo:" not in event.name()]
    recording = format_trace(recorder.trace()) if recorder else ""
    return out.getvalue(), ran, [*steps, _parameters_alive()], recording


def _parameters_after_steps() -> list[list[str]]:
    """A list to which each step of an optimizer adds the bits of its parameters and gradients."""
    from torch.optim.optimizer import register_optimizer_step_post_hook
    from torch.utils.hooks import RemovableHandle

    found: list[list[str]] = []

    def add(optimizer, *_) -> None:
        leaves = [p for group in optimizer.param_groups for p in group["params"]]
        found.append([bits for leaf in leaves for bits in _bits_of_leaf(leaf)])

    register_optimizer_step_post_hook(add)
    RemovableHandle.next_id -= 1  # as a script finds it that prints the ids of its hooks
    return found


def _parameters_alive() -> list[str]:
    """The bits of all leaves that require a gradient, and of their gradients, sorted."""
    import torch
    from torch._C._functorch import is_functorch_wrapped_tensor

    def holds_numbers(kind: type) -> bool:  # a FakeTensor that torch.compile keeps holds none
        ordinary = torch.Tensor.__torch_dispatch__
        return issubclass(kind, torch.Tensor) and kind.__torch_dispatch__ is ordinary

    gc.collect()
    tensors = [thing for thing in gc.get_objects() if holds_numbers(type(thing))]
    # What torch.func wraps holds no memory of its own, and a closure keeps it past the transform.
    own = [tensor for tensor in tensors if not is_functorch_wrapped_tensor(tensor)]
    leaves = [tensor for tensor in own if tensor.requires_grad and _is_leaf(tensor)]
    return sorted(bits for leaf in leaves for bits in _bits_of_leaf(leaf))


def _is_leaf(tensor) -> bool:
    try:
        return tensor.is_leaf
    except RuntimeError:  # a view of what was changed in place
        return False


def _bits_of_leaf(leaf) -> list[str]:
    return [_bits(leaf), _bits(leaf.grad) if leaf.grad is not None else "None"]


def _bits(tensor) -> str:
    """A digest of the memory that a tensor lies in; what it is where it has none."""
    import torch

    if tensor.layout is not torch.strided or tensor.is_nested:
        return str(tensor.layout)
    if tensor._is_zerotensor():
        return f"zeros of {tuple(tensor.shape)}"
    if tensor.device.type != "cpu":
        return tensor.device.type
    size = tensor.element_size()
    memory = np.ndarray(
        tensor.shape,
        np.dtype(f"V{size}"),
        (ctypes.c_char * tensor.untyped_storage().nbytes()).from_address(
            tensor.untyped_storage().data_ptr()
        ),
        tensor.storage_offset() * size,
        [step * size for step in tensor.stride()],
    )
    return hashlib.sha256(memory.tobytes()).hexdigest()
