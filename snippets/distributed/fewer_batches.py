import time
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def train(rank):
    batches = torch.tensor([[1.0], [4.0], [3.0]]).split([2, 1])[rank]
    model = nn.Linear(1, 1, bias=False)
    ddp = nn.parallel.DistributedDataParallel(model)
    lines = []
    for x in batches:
        model.zero_grad()
        began = time.perf_counter()
        ddp(x).backward()
        seconds = time.perf_counter() - began
        lines.append(f"rank {rank}: x {x.item()}, .grad {model.weight.grad.item()}")
    if rank == 0:
        lines.append(f"rank 0: this took more than a second: {seconds > 1}")
    else:
        time.sleep(2)
        model.zero_grad()
        ddp(0 * x).backward()
        lines.append("rank 1: no more batches, 2 seconds later a pass with zeros")
    return "\n".join(lines)


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    line = train(rank)
    dist.destroy_process_group()
    return line


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        lines = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        print(*lines, sep="\n")
