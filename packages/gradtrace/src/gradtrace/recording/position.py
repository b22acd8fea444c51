"""Which files are the user's own, and the place in them that is running.

Their lines, expressions and names are recorded. IPython is used if it runs, but never imported.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NotRequired, TypedDict

import torch
from torch import nn

from gradtrace.recording.script import entries_of, execute


def running_ipython() -> Any:
    """The shell of the notebook or terminal, or None."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return find() if find else None


def after_return(frame: FrameType, action: Callable[[], None]) -> None:
    """Call `action` once the function of `frame` returns, in its thread, in which no line is traced
    until then."""
    before = sys.gettrace()

    def trace(_: FrameType, event: str, __: object):
        if event == "return":
            sys.settrace(before)
            action()
        return trace

    frame.f_trace, frame.f_trace_lines = trace, False
    sys.settrace(lambda *_: None)


_INSTALLED = {"site-packages", "dist-packages"}
_LIBRARIES = {
    os.path.realpath(folder)
    for folder in (
        *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib")),
        Path(torch.__file__).parent,
        Path(__file__).parents[1],
    )
}


class UserFiles(dict):
    """For each file name in code objects: its path from the folder of the script; "" for the script
    itself, and None if the file is not code of the user.

    `files[name]` examines a new file; `files.get(name)` returns only what was looked up before.
    """

    def __init__(self, script: str) -> None:
        super().__init__({script: ""})
        self._folder = os.path.dirname(os.path.abspath(script))
        if not os.path.exists(script):  # a cell of a notebook, or text without a file
            self._folder = os.getcwd()

    def __missing__(self, file: str) -> str | None:
        key = self[file] = cell_name(file) or self._path(file) if is_of_user(file) else None
        return key

    def _path(self, file: str) -> str:
        file = os.path.abspath(file)
        try:
            return Path(os.path.relpath(file, self._folder)).as_posix()
        except ValueError:  # on another drive
            return Path(file).as_posix()


def text_of(file: str) -> str:
    """The text of a file, or of a cell of a notebook."""
    return "".join(linecache.getlines(file))


def cell_name(file: str) -> str | None:
    """IPython's name of the cell whose code is in this file: "In[3]"; None if it isn't a cell."""
    if (shell := running_ipython()) is None:
        return None
    if match := re.match(r"<ipython-input-(\d+)-", file):
        return f"In[{match[1]}]"
    label = getattr(shell.compile, "format_code_name", lambda _: None)(file)
    return label[1] if label else None


def is_of_user(file: str) -> bool:
    """Whether code is the user's, by the name of its file: not in an installed package."""
    if cell_name(file):
        return True
    if file.startswith("<") or not linecache.getlines(file):
        return False
    path = Path(os.path.realpath(file))
    folders = {str(parent) for parent in path.parents}
    return not (_INSTALLED & {*path.parts} or _LIBRARIES & folders)


_TORCH = Path(torch.__file__).parent
_RECORD_FOLDER = Path(__file__).parent
_FORWARDING_FILES = {
    *(str(_TORCH / name) for name in ("overrides.py", "_tensor.py", "functional.py")),
    *(str(_TORCH / name) for name in ("nn/functional.py", "nn/init.py", "utils/_contextlib.py")),
    *(str(_TORCH / name) for name in ("_linalg_utils.py", "_VF.py", "autograd/function.py")),
    *(str(file) for file in _RECORD_FOLDER.rglob("*.py")),
}
"""Files whose functions only forward a call that the script made."""


class Place(TypedDict):
    """Where something happened: two fields of an event."""

    line: int | None
    file: NotRequired[str]


class ScriptPosition:
    """The script that is recorded, the user's other files, and the running place in them."""

    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self.files = UserFiles(file)
        self.sources: dict[str, str] = {}
        """The texts of the other files in which an event happened."""
        self._lines = {file: _lines(source)}
        self._texts: dict[tuple[CodeType, int], str | None] = {}

    def line(self) -> int | None:
        """The innermost running line of the script itself."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return frame.f_lineno if frame else None

    def place(self) -> Place:
        """The innermost running line of the user's code."""
        frame = self._frame()
        return self.place_in(frame.f_code, frame.f_lineno) if frame else Place(line=None)

    def place_in(self, code: CodeType, line: int) -> Place:
        """A line of some code of the user."""
        key = self.files[code.co_filename]
        if not key:
            return Place(line=line)
        if key not in self.sources:
            self.sources[key] = text_of(code.co_filename)
        return Place(line=line, file=key)

    def place_of_caller(self, frame: FrameType) -> Place:
        """The line of the user's code from which a function was called."""
        caller = frame.f_back
        while caller is not None and self.files.get(caller.f_code.co_filename) is None:
            caller = caller.f_back
        return self.place_in(caller.f_code, caller.f_lineno) if caller else Place(line=None)

    def place_of_error(self, error: BaseException) -> Place:
        """The innermost line of the user's code that an error passed through, or that Python could
        not parse."""
        place = Place(line=None)
        for entry in entries_of(error):
            if self.is_own(entry.tb_frame.f_code):
                place = self.place_in(entry.tb_frame.f_code, entry.tb_lineno)
        if isinstance(error, SyntaxError) and error.filename == self.file:
            return Place(line=error.lineno)
        return place

    def text_of_error(self, error: BaseException) -> str | None:
        """The innermost expression in the user's code that an error passed through."""
        own = [entry for entry in entries_of(error) if self.is_own(entry.tb_frame.f_code)]
        return self._text(own[-1].tb_frame.f_code, own[-1].tb_lasti) if own else None

    def look_around(self) -> None:
        """Find the running functions that are the user's, if the script is already running; not
        beyond the one that runs the script, if it belongs to gradtrace. Code that runs while the
        script does not, such as a notebook cell with a magic, doesn't count."""
        frames = list(_frames())
        if all(frame.f_code.co_filename != self.file for frame in frames):
            return
        for frame in frames:
            if frame.f_code is execute.__code__:
                break
            self.files[frame.f_code.co_filename]  # looking a file up examines it

    def is_own(self, code: CodeType) -> bool:
        """Whether some code is the user's."""
        return self.files.get(code.co_filename) is not None

    def text(self) -> str | None:
        """The source text of the expression that is evaluated now."""
        if (frame := self._frame()) is None:
            return None
        key = frame.f_code, frame.f_lasti
        if key not in self._texts:
            self._texts[key] = self._text(*key)
        return self._texts[key]

    def frames(self) -> list[FrameType]:
        """The frames of the user's functions that are running, from the innermost."""
        return [frame for frame in _frames() if self.is_own(frame.f_code)]

    def is_caller(self) -> bool:
        """Whether the user's code made the current call, not a library."""
        codes = (frame.f_code for frame in _frames())
        return self.is_own(next(c for c in codes if c.co_filename not in _FORWARDING_FILES))

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
        # A loop, not a generator, which Python would trace each time that it yields a frame.
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and self.files.get(frame.f_code.co_filename) is None:
            frame = frame.f_back
        return frame

    def _text(self, code: CodeType, instruction: int) -> str | None:
        positions = islice(code.co_positions(), instruction // 2, None)
        first, last, left, right = next(positions)
        if None in (first, last, left, right):
            return None
        file = code.co_filename
        if file not in self._lines:
            self._lines[file] = _lines(text_of(file))
        rows = self._lines[file][first - 1 : last]
        if not rows:  # there is code without text: it was typed at a prompt
            return None
        rows[-1] = rows[-1][:right]  # before the left side: there may be one row only
        rows[0] = rows[0][left:]
        return " ".join(row.decode().strip() for row in rows)


def _lines(source: str) -> list[bytes]:
    return source.encode().split(b"\n")  # the columns of code count bytes of UTF-8


def module_of_call() -> nn.Module | None:
    """The module whose `__call__` is running."""
    for frame in _frames():
        if frame.f_code.co_name in ("_call_impl", "inner"):
            owner = frame.f_locals.get("self")
            if isinstance(owner, nn.Module):
                return owner
    return None


def calling_frame() -> FrameType:
    """The frame of the user's code that called gradtrace; otherwise the outermost frame.

    There is none where code has no file, as at a prompt.
    """
    for frame in _frames():
        if is_of_user(frame.f_code.co_filename):
            return frame
    return frame


def line_in_script(error: BaseException, file: str) -> int | None:
    """The innermost line of the script that an error passed through, from its traceback; for a
    syntax error in the script, its line."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    own = (e for e in entries_of(error) if e.tb_frame.f_code.co_filename == file)
    lines = [entry.tb_lineno for entry in own]
    return lines[-1] if lines else None


def _frames() -> Iterator[FrameType]:
    """The frames of the thread, from the innermost."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
