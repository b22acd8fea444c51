from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def train(rank, momentum):
    batches = torch.tensor([[1.0], [4.0], [3.0]]).split([2, 1])[rank]
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 10.0)
    ddp = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=momentum)
    with ddp.join():
        for x in batches:
            optimizer.zero_grad()
            ddp(x).backward()
            optimizer.step()
    line = f"rank {rank}, momentum {momentum}: after join, w {model.weight.item()}"
    optimizer.zero_grad()
    ddp(batches[0]).backward()
    optimizer.step()
    return line + f"; then .grad {model.weight.grad.item()}, w {model.weight.item()}"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    lines = train(rank, momentum=0.0) + "\n" + train(rank, momentum=0.5)
    dist.destroy_process_group()
    return lines


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        lines = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        print(*lines, sep="\n")
