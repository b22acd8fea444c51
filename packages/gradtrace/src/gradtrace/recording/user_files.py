"""Which files are the user's own: their lines, expressions and names are recorded."""

from __future__ import annotations

import linecache
import os
import re
import sysconfig
from pathlib import Path

import torch

from gradtrace.running_ipython import running_ipython

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
    """For each name of a file that code has: its path from the folder of the script; "" for the
    script itself, and None if the file is no code of the user.

    A file is looked at when it is asked for with `files[name]`; `files.get(name)` knows those that
    were asked for.
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
    """What IPython calls the cell whose code is said to be in this file: "In[3]"; None where it is
    no cell."""
    if (shell := running_ipython()) is None:
        return None
    if match := re.match(r"<ipython-input-(\d+)-", file):
        return f"In[{match[1]}]"
    label = getattr(shell.compile, "format_code_name", lambda _: None)(file)
    return label[1] if label else None


def is_of_user(file: str) -> bool:
    """Whether code is the user's, by the name of its file: not that of an installed package."""
    if cell_name(file):
        return True
    if file.startswith("<") or not linecache.getlines(file):
        return False
    path = Path(os.path.realpath(file))
    folders = {str(parent) for parent in path.parents}
    return not (_INSTALLED & {*path.parts} or _LIBRARIES & folders)
