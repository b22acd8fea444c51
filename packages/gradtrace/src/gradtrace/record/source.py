"""Where the script stands: its line, the expression that is evaluated, the modules around it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

import torch
from torch import nn

_TORCH = Path(torch.__file__).parent
_HERE = Path(__file__).parent
_DOORS = {
    *(str(_TORCH / name) for name in ("overrides.py", "_tensor.py", "functional.py")),
    *(str(_TORCH / name) for name in ("nn/functional.py", "nn/init.py", "utils/_contextlib.py")),
    *(str(_TORCH / name) for name in ("_linalg_utils.py", "_VF.py", "autograd/function.py")),
    *(str(file) for file in _HERE.glob("*.py")),
}
"""Files whose functions only hand on a call that the script made."""


class Script:
    """The script that is recorded, and where it stands now."""

    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self._lines = source.encode().split(b"\n")  # the columns of code count bytes of UTF-8
        self._texts: dict[tuple[CodeType, int], str | None] = {}

    def line(self) -> int | None:
        """The innermost line of the script that is being run."""
        frame = self._frame()
        return frame.f_lineno if frame else None

    def text(self) -> str | None:
        """The expression of the script that is being evaluated, as it is written."""
        if (frame := self._frame()) is None:
            return None
        key = frame.f_code, frame.f_lasti
        if key not in self._texts:
            self._texts[key] = self._text(*key)
        return self._texts[key]

    def calls(self) -> bool:
        """Whether the script itself made the call that we are in, not something in a library."""
        callers = (f.f_code.co_filename for f in _frames() if f.f_code.co_filename not in _DOORS)
        return next(callers, None) == self.file

    def modules(self) -> list[nn.Module]:
        """The modules in whose `forward` we are, from the outermost to the innermost."""
        found = []
        for frame in _frames():
            if frame.f_code.co_name == "forward":
                owner = frame.f_locals.get("self")
                if isinstance(owner, nn.Module):
                    found.insert(0, owner)
            elif frame.f_code.co_name == "<module>":
                break
        return found

    def _frame(self) -> FrameType | None:
        return next((f for f in _frames() if f.f_code.co_filename == self.file), None)

    def _text(self, code: CodeType, at: int) -> str | None:
        first, last, left, right = next(islice(code.co_positions(), at // 2, None))
        if None in (first, last, left, right):
            return None
        rows = self._lines[first - 1 : last]
        rows[-1] = rows[-1][:right]  # before the left side: there may be one row only
        rows[0] = rows[0][left:]
        return " ".join(row.decode().strip() for row in rows)


def owner_of_call() -> nn.Module | None:
    """The module whose `__call__` we are in."""
    for frame in _frames():
        if frame.f_code.co_name in ("_call_impl", "inner"):
            owner = frame.f_locals.get("self")
            if isinstance(owner, nn.Module):
                return owner
    return None


def _frames() -> Iterator[FrameType]:
    """The frames of the thread, from the innermost."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
