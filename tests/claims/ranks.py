"""Two processes that talk to each other with gloo, as in training with DistributedDataParallel."""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import update_wrapper
from importlib import import_module
from inspect import Parameter, Signature, signature
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel

PATIENCE = 120
"""Seconds after which two ranks that haven't answered are taken for hung: meant for a machine
that is slow and busy."""


class Ranks:
    """Two processes that are started once, for all tests: each costs an import of PyTorch."""

    def __init__(self) -> None:
        self._running: list[tuple[mp.Process, Connection]] = []

    def __call__(self, work: Callable[[int], object], timeout: float = 60) -> list:
        """What `work(rank)` returns in rank 0 and in rank 1: numbers, texts, tensors, lists.

        `work` is a function of a module, which each process imports; it has a process group of
        its own. A rank that waits for the other longer than `timeout` seconds raises in the call
        that waits. Raises `RuntimeError` where `work` raised, or a rank doesn't answer.
        """
        if not self._running:
            self._running = [_started(rank) for rank in (0, 1)]
        with TemporaryDirectory() as folder:
            for _, connection in self._running:
                connection.send((work, Path(folder, "meet").as_uri(), timeout))
            told = [_received(connection) for _, connection in self._running]
        if wrong := [text for text, _ in told if text]:
            self.stop()
            raise RuntimeError("\n".join(wrong))
        return [torch.load(io.BytesIO(result)) for _, result in told]

    def stop(self) -> None:
        """End both processes; the next call starts new ones."""
        for process, connection in self._running:
            connection.close()
            process.kill()
            process.join()
        self._running = []


def _started(rank: int) -> tuple[mp.Process, Connection]:
    context = mp.get_context("spawn")  # a fork would inherit the threads of PyTorch, stopped
    here, there = context.Pipe()
    process = context.Process(target=_rank, args=(rank, there), daemon=True)
    process.start()
    there.close()
    return process, here


def _received(connection: Connection) -> tuple[str, bytes]:
    """The error of a rank, or nothing, and its result."""
    try:
        return connection.recv() if connection.poll(PATIENCE) else ("a rank doesn't answer", b"")
    except EOFError:
        return "a rank has died", b""


def _rank(rank: int, connection: Connection) -> None:
    torch.set_num_threads(1)
    while True:
        try:
            work, meeting_place, timeout = connection.recv()
        except EOFError:
            return
        connection.send(_worked(work, rank, meeting_place, timeout))


def _worked(work: Callable, rank: int, meeting_place: str, timeout: float) -> tuple[str, bytes]:
    dist.init_process_group(
        "gloo",
        init_method=meeting_place,
        rank=rank,
        world_size=2,
        timeout=timedelta(seconds=timeout),
    )
    try:
        result = io.BytesIO()
        torch.save(work(rank), result)
        return "", result.getvalue()
    except (Exception, pytest.fail.Exception):
        return traceback.format_exc(), b""
    finally:
        dist.destroy_process_group()


def on_two_ranks(body: Callable[[int], None]) -> Callable[[Ranks], None]:
    """A test whose body runs in rank 0 and in rank 1 at once; it asserts in both."""

    def test(ranks: Ranks, **arguments: object) -> None:
        ranks(_Body(body.__module__, body.__name__, arguments))

    update_wrapper(test, body, updated=())
    del test.__wrapped__  # pytest would take its arguments for fixtures
    names = ["ranks", *list(signature(body).parameters)[1:]]
    test.__signature__ = Signature([Parameter(n, Parameter.KEYWORD_ONLY) for n in names])
    test.body = body
    return test


@dataclass(frozen=True)
class _Body:
    """The body of a test, found by name: pickle would find the test instead."""

    module: str
    test: str
    arguments: dict[str, object]

    def __call__(self, rank: int) -> None:
        getattr(import_module(self.module), self.test).body(rank, **self.arguments)


def gathered(value: torch.Tensor) -> torch.Tensor:
    """The tensors of both ranks, stacked."""
    both = [torch.zeros_like(value) for _ in range(2)]
    dist.all_gather(both, value.detach().contiguous())
    return torch.stack(both)


def one_weight(**options: bool) -> tuple[DistributedDataParallel, nn.Parameter]:
    """DDP of a model with one weight, 1, and this weight: the gradient of its output is the input."""
    layer = nn.Linear(1, 1, bias=False)
    nn.init.ones_(layer.weight)
    return DistributedDataParallel(layer, **options), layer.weight


def replicated(model: nn.Module) -> nn.Module:
    """With DDP: each rank has all of the model."""
    return DistributedDataParallel(model)


def sharded(model: nn.Module) -> nn.Module:
    """With FSDP of today: each rank has a part of each parameter."""
    return fully_shard(model, mesh=init_device_mesh("cpu", (2,)))


def sharded_as_before(model: nn.Module) -> nn.Module:
    """With the FSDP of before."""
    return FullyShardedDataParallel(model, device_id=torch.device("cpu"), use_orig_params=True)
