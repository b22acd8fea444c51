from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def held(model):
    own = model.weight.grad
    rows = 0 if own is None else len(own.to_local())
    model.unshard()
    whole = model.weight.grad
    rows += 0 if whole is None else len(whole)
    model.reshard()
    return rows


def train(rank, wait):
    model = nn.Linear(2, 4, bias=False)
    nn.init.ones_(model.weight)
    fully_shard(model, mesh=dist.init_device_mesh("cpu", (2,)))
    rows = []
    for x in (1.0, 3.0):
        last = x == 3
        model.set_requires_gradient_sync(last or not wait)
        model(torch.full((1, 2), x + 4 * rank)).sum().backward()
        rows.append(held(model))
    gradient = model.weight.grad.full_tensor()[0].tolist()
    return f"wait {wait}, rank {rank}: rows held {rows}, first row at the end {gradient}"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    lines = [train(rank, wait) for wait in (False, True)]
    dist.destroy_process_group()
    return lines


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        both = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        for lines in zip(*both, strict=True):
            print(*lines, sep="\n")
