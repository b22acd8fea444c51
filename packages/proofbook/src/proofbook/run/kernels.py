"""Executes the code cells of notebooks with nbclient, each notebook in a Jupyter kernel of its own.

A kernel takes seconds to start and to import torch, so it is forked from a process that has done so
where that is possible.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, v4

from proofbook.model.temporary import TemporaryFolder
from proofbook.run.provisioner import Fork, ForkProvisioner
from proofbook.run.runner import TIME_LIMIT

CELL_SECONDS = 3 * TIME_LIMIT
"""Wall-clock time of one cell: what a script may take by itself, with room for a busy machine."""

Outputs = list[list[NotebookNode]]
"""The outputs of each cell, as nbformat describes them."""


class CellFailed(Exception):
    """A cell that did not come to its end. `cell`: which one, from 0; -1 for the set-up."""

    def __init__(self, cell: int, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.cell = cell


def kernel_environment(folder: Path) -> dict[str, str]:
    """Environment variables with which kernels read their settings from `folder`, an empty one.

    Whatever somebody has set up for their own notebooks is left out, and kernels log errors alone.
    """
    profile = folder / "profile_default"
    profile.mkdir()
    settings = "c.IPKernelApp.log_level = 'ERROR'\n"
    profile.joinpath("ipython_kernel_config.py").write_text(settings, encoding="utf-8")
    return {"IPYTHONDIR": str(folder)}


class KernelPool:
    """Owns the threads that execute notebooks, and their kernels.

    `setup`: code that each kernel executes before the first cell. `workers`: how many notebooks are
    executed at a time. `fork`: starts kernels; without it, each starts in a new interpreter.
    """

    def __init__(self, setup: str, workers: int = 2, fork: Fork | None = None) -> None:
        self._setup, self._fork = setup, fork
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="kernel")

    def submit(self, cells: Sequence[str]) -> Future[Outputs]:
        """Have the code of these cells executed, one after the other, in a new kernel.

        The result raises `CellFailed`, or what was raised when no kernel could be started.
        """
        return self._threads.submit(self._execute, cells)

    def close(self) -> None:
        """Forget what was not begun, wait for the rest, and stop the kernels."""
        self._threads.shutdown(cancel_futures=True)

    def _execute(self, cells: Sequence[str]) -> Outputs:
        with _kernel(self._setup, self._fork) as client:
            return [_execute(client, number, code) for number, code in enumerate(cells)]


@contextlib.contextmanager
def _kernel(setup: str, fork: Fork | None) -> Iterator[NotebookClient]:
    """The client of a new kernel that has executed the set-up; its folder is temporary."""
    with TemporaryFolder() as folder:
        client = NotebookClient(
            v4.new_notebook(),
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            startup_timeout=int(CELL_SECONDS),
            timeout=int(CELL_SECONDS),
            shutdown_kernel="immediate",
        )
        manager = client.create_kernel_manager()
        if fork:
            spec = manager.kernel_spec
            manager.provisioner = ForkProvisioner(fork, kernel_spec=spec, parent=manager)
        with client.setup_kernel():
            _execute(client, -1, setup)
            yield client


def _execute(client: NotebookClient, number: int, code: str) -> list[NotebookNode]:
    """The outputs of one cell; raises `CellFailed` with its number."""
    cell = v4.new_code_cell(code)
    client.nb.cells.append(cell)
    try:
        client.execute_cell(cell, len(client.nb.cells) - 1)
    except CellExecutionError as error:
        raise CellFailed(number, error.ename, error.evalue) from error
    except (CellTimeoutError, DeadKernelError) as error:
        raise CellFailed(number, type(error).__name__, str(error)) from error
    return cell.outputs
