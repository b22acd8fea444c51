from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def train(rank):
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0]]).split([1, 3])[rank]
    model = nn.Linear(1, 1, bias=False)
    w = nn.init.ones_(model.weight)
    ddp = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD([w], lr=0.05)

    def step(w):
        optimizer.step()

    w.register_post_accumulate_grad_hook(step)
    loss = (ddp(x) - (2 * x + 1)).square().sum() / len(x)
    loss.backward()
    return f"rank {rank}: w {w.item():.4f}, .grad {w.grad.item():.4f}"


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
