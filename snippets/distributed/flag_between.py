from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def train(rank, place):
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0]]).chunk(2)[rank]
    target = 2 * x + 1
    mse = nn.MSELoss()
    model = nn.Linear(1, 1, bias=False)
    nn.init.ones_(model.weight)
    ddp = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    grads = []
    for number in (0, 1):
        last = number == 1
        if place == "before forward":
            ddp.require_backward_grad_sync = last
        loss = mse(ddp(x[number]), target[number]) / 2
        if place == "after forward":
            ddp.require_backward_grad_sync = last
        loss.backward()
        grads.append(model.weight.grad.item())
    optimizer.step()
    w = round(model.weight.item(), 4)
    return f"{place}, rank {rank}: after one {grads[0]}, after both {grads[1]}, w {w}"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    lines = [train(rank, place) for place in ("before forward", "after forward")]
    dist.destroy_process_group()
    return lines


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        both = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        for lines in zip(*both, strict=True):
            print(*lines, sep="\n")
