"""Does something as soon as a function that is running has returned."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def after_return(frame: FrameType, action: Callable[[], None]) -> None:
    """Call `action` once the function of `frame` returns, in its thread, in which no line is
    traced until then."""
    before = sys.gettrace()

    def trace(_: FrameType, event: str, __: object):
        if event == "return":
            sys.settrace(before)
            action()
        return trace

    frame.f_trace, frame.f_trace_lines = trace, False
    sys.settrace(lambda *_: None)
