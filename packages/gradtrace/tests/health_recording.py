"""Recording what a doctor asks for, in this process."""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path

import torch._dynamo  # noqa: F401  the first optimizer imports it, which is slow when traced
from gradtrace import Recorder, Trace, execute


def record_health(file: Path, **limits: int) -> Trace:
    """The trace of a script, with `Trace.health`. `limits`: of the recorder."""
    recorder = Recorder(file, health=True, outlines=True, **limits)
    main = sys.modules["__main__"]
    try:
        with warnings.catch_warnings(), contextlib.suppress(Exception), recorder:
            warnings.simplefilter("always")
            execute(str(file))
    finally:
        sys.modules["__main__"] = main
    return recorder.trace()
