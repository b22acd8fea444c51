"""Where the script is: its line, the expression that is evaluated, the modules around it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

import torch
from torch import nn

_TORCH = Path(torch.__file__).parent
_RECORD_FOLDER = Path(__file__).parent
_FORWARDING_FILES = {
    *(str(_TORCH / name) for name in ("overrides.py", "_tensor.py", "functional.py")),
    *(str(_TORCH / name) for name in ("nn/functional.py", "nn/init.py", "utils/_contextlib.py")),
    *(str(_TORCH / name) for name in ("_linalg_utils.py", "_VF.py", "autograd/function.py")),
    *(str(file) for file in _RECORD_FOLDER.rglob("*.py")),
}
"""Files whose functions only forward a call that the script made."""


class ScriptPosition:
    """The script that is recorded, and the place in it that is being run."""

    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self._lines = source.encode().split(b"\n")  # the columns of code count bytes of UTF-8
        self._texts: dict[tuple[CodeType, int], str | None] = {}

    def line(self) -> int | None:
        """The innermost line of the script that is being run."""
        frame = self._frame()
        return frame.f_lineno if frame else None

    def text(self) -> str | None:
        """The source text of the expression that is being evaluated."""
        if (frame := self._frame()) is None:
            return None
        key = frame.f_code, frame.f_lasti
        if key not in self._texts:
            self._texts[key] = self._text(*key)
        return self._texts[key]

    def is_caller(self) -> bool:
        """Whether the script itself made the present call, not something in a library."""
        files = (frame.f_code.co_filename for frame in _frames())
        return next((file for file in files if file not in _FORWARDING_FILES), None) == self.file

    def modules(self) -> list[nn.Module]:
        """The modules whose `forward` is running, from the outermost to the innermost."""
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

    def _text(self, code: CodeType, instruction: int) -> str | None:
        positions = islice(code.co_positions(), instruction // 2, None)
        first, last, left, right = next(positions)
        if None in (first, last, left, right):
            return None
        rows = self._lines[first - 1 : last]
        rows[-1] = rows[-1][:right]  # before the left side: there may be one row only
        rows[0] = rows[0][left:]
        return " ".join(row.decode().strip() for row in rows)


def module_of_call() -> nn.Module | None:
    """The module whose `__call__` is running."""
    for frame in _frames():
        if frame.f_code.co_name in ("_call_impl", "inner"):
            owner = frame.f_locals.get("self")
            if isinstance(owner, nn.Module):
                return owner
    return None


def line_in_script(error: BaseException, file: str) -> int | None:
    """The innermost line of the script that an error came through, from its traceback."""
    line, entry = None, error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == file:
            line = entry.tb_lineno
        entry = entry.tb_next
    return line


def _frames() -> Iterator[FrameType]:
    """The frames of the thread, from the innermost."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
