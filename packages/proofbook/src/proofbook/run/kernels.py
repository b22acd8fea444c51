"""Executes the code cells of notebooks with nbclient, each notebook in a Jupyter kernel of its own.

A kernel takes seconds to start and to import torch, so it is forked from a process that has done so
where that is possible, and one can be kept ready for the next notebook.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, v4

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
    executed at a time. `keep_ready`: after a notebook, the first worker starts a kernel for the
    next one and executes the set-up; without it a kernel starts when it is needed. `fork`: starts
    kernels; without it, each starts in a new interpreter.
    """

    def __init__(
        self, setup: str, workers: int = 2, keep_ready: bool = False, fork: Fork | None = None
    ) -> None:
        self._setup, self._workers, self._keep_ready = setup, workers, keep_ready
        self._fork = fork
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._first_is_busy = False
        self._closed = False

    def submit(self, cells: Sequence[str]) -> Future[Outputs]:
        """Have the code of these cells executed, one after the other, in a new kernel.

        The result raises `CellFailed`, or what was raised when no kernel could be started.
        """
        job = _Job(cells)
        with self._changed:
            self._jobs.append(job)
            if not self._threads:  # most books have no such notebook
                self._start_threads()
            self._changed.notify_all()
        return job.future

    def close(self) -> None:
        """Forget what was not begun, wait for the rest, and stop the kernels."""
        with self._changed:
            self._closed = True
            while self._jobs:
                self._jobs.popleft().future.cancel()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _start_threads(self) -> None:
        for number in range(self._workers):
            # A client of a kernel belongs to the event loop of one thread.
            thread = threading.Thread(target=self._work, args=(number == 0,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self, first: bool) -> None:
        """Execute notebooks until the pool is closed; `first`: this is the first worker."""
        job = self._next(first)
        while job is not None:
            try:
                with _kernel(self._setup, self._fork) as client:
                    if job.future.done():  # a kernel for the next notebook
                        job = self._next(first)
                    if job is not None:
                        job.execute(client)
            except Exception as error:
                if job is not None and job.future.done():  # told with the next notebook
                    job = self._next(first)
                    continue
                if job is not None:
                    job.future.set_exception(error)
            if job is not None and not (self._keep_ready and first):
                job = self._next(first)

    def _next(self, first: bool) -> _Job | None:
        """The next notebook; None when the pool is closed. The first worker has precedence."""

        def available() -> bool:
            return self._closed or bool(self._jobs and (first or self._first_is_busy))

        with self._changed:
            self._first_is_busy = self._first_is_busy and not first
            self._changed.wait_for(available)
            if not self._jobs:
                return None
            job = self._jobs.popleft()
            self._first_is_busy = self._first_is_busy or first
            self._changed.notify_all()  # the others may take what is left
            job.future.set_running_or_notify_cancel()
            return job


@dataclass(frozen=True)
class _Job:
    """The code cells of a notebook, and the future that gets their outputs."""

    cells: Sequence[str]
    future: Future[Outputs] = field(default_factory=Future)

    def execute(self, client: NotebookClient) -> None:
        """Execute the cells and settle the future."""
        try:
            self.future.set_result([_execute(client, n, code) for n, code in enumerate(self.cells)])
        except Exception as error:
            self.future.set_exception(error)


@contextlib.contextmanager
def _kernel(setup: str, fork: Fork | None) -> Iterator[NotebookClient]:
    """The client of a new kernel that has executed the set-up; its folder is temporary."""
    with tempfile.TemporaryDirectory(prefix="proofbook-", ignore_cleanup_errors=True) as folder:
        client = NotebookClient(
            v4.new_notebook(),
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
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
