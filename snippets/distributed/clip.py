from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def train(rank):
    x = torch.tensor([[6.0, 0.0], [0.0, 8.0]])[rank : rank + 1]
    model = nn.Linear(2, 1, bias=False)
    ddp = nn.parallel.DistributedDataParallel(model)
    ddp(x).sum().backward()
    norm = nn.utils.clip_grad_norm_(ddp.parameters(), max_norm=1.0)
    after = [round(g, 4) for g in model.weight.grad[0].tolist()]

    model.zero_grad()
    model.weight.register_hook(lambda grad: grad / grad.norm())
    ddp(x).sum().backward()
    before = model.weight.grad[0].tolist()
    return f"rank {rank}: norm {norm}, clipped {after}, each alone {before}"


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
