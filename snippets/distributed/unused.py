from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


class Heads(nn.Sequential):
    def forward(self, x, head):
        return self[head](x)


def train(rank):
    x = torch.tensor([[2.0], [6.0]])[rank]
    heads = [nn.Linear(1, 1, bias=False) for _ in range(2)]
    ddp = nn.parallel.DistributedDataParallel(Heads(*heads))
    ddp(x, head=rank).backward()
    try:
        ddp(x, head=rank)
    except RuntimeError as error:
        return f"rank {rank}: {[h.weight.grad for h in heads]}\n{str(error)[:84]}"


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
