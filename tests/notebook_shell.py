"""Runs notebooks as Jupyter does, each from top to bottom in an IPython shell of its own.

Reads a JSON list of lists of cells from standard input; writes, for each cell, what it printed, the
error that ended it, and the value it would show. Forks, so that torch is imported once for all; the
cells share a shell, and all else that a kernel would keep between them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from proofbook.run.preload import preload_optimizers, preload_torch

_WITHOUT_HISTORY = Config({"HistoryManager": {"hist_file": ":memory:"}})
"""Many shells at once would wait for one file, or warn that it can't be written."""


def run(cells: list[str]) -> list[dict]:
    """Run the cells one after another."""
    shell, told = InteractiveShell.instance(config=_WITHOUT_HISTORY), []
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            end = shell.run_cell(cell, store_history=True)
        error = end.error_before_exec or end.error_in_exec
        value = None if end.result is None else repr(end.result)
        told.append({"printed": printed.getvalue(), "error": error and repr(error), "value": value})
    return told


def main() -> None:
    notebooks = json.load(sys.stdin)
    if sys.argv[1:] == ["alone"]:
        json.dump([run(cells) for cells in notebooks], sys.__stdout__)
        return
    if hasattr(os, "fork"):
        preload_torch()
        preload_optimizers()
    json.dump([_forked(c) if hasattr(os, "fork") else _started(c) for c in notebooks], sys.stdout)


def _forked(cells: list[str]) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        told = os.path.join(folder, "told")
        if (child := os.fork()) == 0:
            try:
                os.chdir(folder)
                found = run(cells)
                with open(told, "w", encoding="utf-8") as file:
                    json.dump(found, file)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        with open(told, encoding="utf-8") as file:  # a notebook that died left none
            return json.load(file)


def _started(cells: list[str]) -> list[dict]:
    command = [sys.executable, __file__, "alone"]
    done = subprocess.run(
        command, input=json.dumps([cells]), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)[0]


if __name__ == "__main__":
    main()
