import os
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory, TemporaryFile

import torch
import torch.distributed as dist
from torch import nn


def train(rank, look):
    model = nn.Linear(1, 1, bias=False)
    ddp = nn.parallel.DistributedDataParallel(model, find_unused_parameters=look)
    with TemporaryFile("w+") as file:
        terminal = os.dup(2)
        os.dup2(file.fileno(), 2)
        ddp(torch.tensor([[2.0 + 4 * rank]])).backward()
        os.dup2(terminal, 2)
        os.close(terminal)
        file.seek(0)
        said = file.read().partition("Warning: ")[2].split(". ")[0]
    return f"rank {rank}, {look}: .grad {model.weight.grad.item()}; {said or 'no warning'}"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    lines = train(rank, look=True) + "\n" + train(rank, look=False)
    dist.destroy_process_group()
    return lines


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        lines = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        print(*lines, sep="\n")
