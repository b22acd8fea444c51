"""Starts Jupyter kernels as forks of a process that has imported already what they need.

A kernel in an interpreter of its own takes seconds to import torch. This is the extension point of
jupyter_client for it, a kernel provisioner; where nothing can be forked it starts an interpreter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

from proofbook.run.runner import RunnerError

_LAUNCHER = "ipykernel_launcher"

Fork = Callable[[Sequence[str], Mapping[str, str], str], tuple[Future[int], Future[int]]]
"""Has a kernel forked with these arguments, environment and working directory: gives its process id
and its exit status, or raises `RunnerError` where it cannot; see `Runner.fork_kernel`."""


class ForkProvisioner(LocalProvisioner):
    """The provisioner of one kernel, which `fork` starts."""

    def __init__(self, fork: Fork, **options: Any) -> None:
        super().__init__(**options)
        self._fork = fork

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel; `cmd` is the command that would do so in a new interpreter."""
        if _LAUNCHER not in cmd:  # somebody's own kernel, of which we know nothing
            return await super().launch_kernel(cmd, **kwargs)
        arguments = cmd[cmd.index(_LAUNCHER) + 1 :]
        try:
            pid, exit_code = self._fork(arguments, kwargs["env"], kwargs["cwd"])
        except RunnerError:
            return await super().launch_kernel(cmd, **kwargs)
        self.process = _ForkedProcess(pid.result(), exit_code)  # fails if we are stopped meanwhile
        self.pid = self.pgid = self.process.pid
        self.cwd = kwargs["cwd"]
        return self.connection_info


class _ForkedProcess:
    """What a provisioner asks of a `subprocess.Popen`, for a child of another process."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int, exit_code: Future[int]) -> None:
        self.pid, self._exit_code = pid, exit_code

    def poll(self) -> int | None:
        return self._exit_code.result() if self._exit_code.done() else None

    def wait(self) -> int:
        return self._exit_code.result()

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)
