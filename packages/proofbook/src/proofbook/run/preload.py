"""What the process that forks imports and sets up once, so that every fork has it for nothing.

All of it makes millions of objects and no garbage: to look for garbage meanwhile would take a fifth
longer.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import sys
import weakref

DRAWING = ("matplotlib.pyplot", "matplotlib.backends.backend_svg")
RECORDING = "gradtrace.recording.recorder"


def preload_torch() -> None:
    """Import torch, and go once through what nearly every script does.

    One thread: a process that has run OpenMP with two cannot be forked safely (its child hangs in
    the first parallel operation).
    """
    gc.disable()
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    w = torch.ones(2, requires_grad=True)  # the first time sets up a good deal
    (2 * w).sum().backward()
    repr(w.grad)
    _share()


def preload_optimizers() -> None:
    """Import what the first optimizer of a process imports: it takes as long as torch itself."""
    if "torch._dynamo" in sys.modules:
        return
    gc.disable()
    import torch
    import torch._dynamo

    w = torch.ones(2, requires_grad=True)
    (2 * w).sum().backward()
    torch.optim.SGD([w], lr=1).step()
    _share()


def preload_modules(*names: str) -> None:
    """Import modules, once; where one is not installed, the script that needs it says so."""
    if all(name in sys.modules for name in names):
        return
    gc.disable()
    with contextlib.suppress(ImportError):
        for name in names:
            importlib.import_module(name)
    _share()


def _share() -> None:
    """Have forks share what this process has made so far: their garbage collector leaves it alone,
    and what torch does at the end of this process is not for every fork to do (30 ms each)."""
    for finalizer in list(weakref.finalize._registry):
        finalizer.atexit = False
    for module, name in (("utils", "dump_compile_times"), ("eval_frame", "_log_traced_frames")):
        if handler := getattr(sys.modules.get(f"torch._dynamo.{module}"), name, None):
            atexit.unregister(handler)
    gc.freeze()
    gc.enable()
