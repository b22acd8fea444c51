"""Other machines, as far as one can imitate them: how a script is run for `proofbook shake`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """A machine that rounds otherwise than this one.

    `seed`: which way the last bits of inexact results go, see `last_bits`; None leaves them.
    `threads`: among which an operation may be divided. `kernels`: whether the kernels of oneDNN and
    NNPACK are used, where torch has them, or its own.
    """

    name: str
    seed: int | None = None
    threads: int = 1
    kernels: bool = True

    @contextlib.contextmanager
    def imitated(self) -> Iterator[None]:
        """While it is active, torch computes as on this machine; its settings stay, the process
        is for one run."""
        import torch

        from proofbook.run.last_bits import LastBits

        torch.set_num_threads(self.threads)
        if not self.kernels:
            torch.backends.mkldnn.enabled = False
            torch.backends.nnpack.set_flags(False)
        with LastBits(self.seed) if self.seed is not None else contextlib.nullcontext():
            yield


MACHINES = (
    *(Machine(f"with the last bits of results moved (seed {seed})", seed) for seed in range(3)),
    Machine("with two threads", threads=2),
    Machine("with other kernels", kernels=False),
)

PLAIN_PROCESSOR = {"ATEN_CPU_CAPABILITY": "default"}
"""The environment of a processor without AVX; torch reads it when it is imported."""
