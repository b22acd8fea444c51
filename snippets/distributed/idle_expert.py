from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


class Experts(nn.ModuleList):
    def forward(self, x, chosen, skip):
        y = torch.zeros_like(x)
        for number, expert in enumerate(self):
            rows = (chosen == number).nonzero()[:, 0]
            if len(rows) or not skip:
                y = y.index_add(0, rows, expert(x[rows]))
        return y


def train(rank):
    x = torch.tensor([[[1.0], [3.0]], [[5.0], [7.0]]])[rank]
    chosen = torch.tensor([[0, 0], [0, 1]])[rank]
    lines = []
    for skip in (True, False):
        experts = Experts(nn.Linear(1, 1, bias=False) for _ in range(3))
        ddp = nn.parallel.DistributedDataParallel(experts, find_unused_parameters=skip)
        ddp(x, chosen, skip).sum().backward()
        grads = [e.weight.grad.item() if e.weight.grad is not None else None for e in experts]
        lines.append(f"rank {rank}, idle experts {'skipped' if skip else 'run'}: {grads}")
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
