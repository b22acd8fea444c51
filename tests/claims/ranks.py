"""Two processes that talk to each other with gloo, as in training with DistributedDataParallel."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _rank(rank: int, work: Callable, folder: str, timeout: float) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=Path(folder, "meet").as_uri(),
        rank=rank,
        world_size=2,
        timeout=timedelta(seconds=timeout),
    )
    try:
        torch.save(work(rank), Path(folder, f"{rank}.pt"))
    finally:
        dist.destroy_process_group()


def on_two_ranks(work: Callable, timeout: float = 60) -> list:
    """What `work(rank)` returns in rank 0 and in rank 1: numbers, texts, tensors, lists of them.

    `work` is a function of a module, which each process imports. A rank that waits for the other
    longer than `timeout` seconds raises in the call that waits.
    """
    with TemporaryDirectory() as folder:
        mp.spawn(_rank, (work, folder, timeout), nprocs=2)
        return [torch.load(Path(folder, f"{rank}.pt")) for rank in (0, 1)]
