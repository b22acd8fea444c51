"""Runs each of many jobs in a fork of a process that has imported PyTorch; a notebook is one."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

PRELOADED = ["torch", "torch.optim", "torch._dynamo", "IPython"]
"""What the process has imported from which each is forked."""


def in_forks(function: Callable, jobs: Iterable) -> Iterator:
    """What a function of a module returns for each job, each in a process of its own."""
    context = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
    if hasattr(os, "fork"):
        context.set_forkserver_preload(PRELOADED)
    with ProcessPoolExecutor(mp_context=context, max_tasks_per_child=1) as pool:
        return iter(list(pool.map(function, jobs)))


def run_notebook(cells: list[str]) -> list[dict]:
    """Run the code of cells as Jupyter does, one after another in an IPython shell of its own and
    an empty folder; returns for each what it printed, the error that ended it, and the value it
    would show."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    # In memory: many shells at once would wait for one file, or warn that it can't be written.
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
    multiprocessing.set_start_method(None, force=True)  # for cells that start processes
    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for cell in cells:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                end = shell.run_cell(cell, store_history=True)
            error, value = end.error_before_exec or end.error_in_exec, end.result
            found.append(
                {
                    "printed": printed.getvalue(),
                    "error": error and repr(error),
                    "value": None if value is None else repr(value),
                }
            )
        os.chdir("/")
    return found
