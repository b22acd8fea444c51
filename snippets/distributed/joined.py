from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def train(rank, **options):
    batches = torch.tensor([[1.0], [4.0], [3.0]]).split([2, 1])[rank]
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 10.0)
    ddp = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    line = f"rank {rank}:"
    try:
        with ddp.join(**options):
            for x in batches:
                optimizer.zero_grad()
                ddp(x).backward()
                optimizer.step()
                line += f" .grad {model.weight.grad.item()}, w {model.weight.item()};"
        return line + f" after join, w {model.weight.item()}"
    except RuntimeError as error:
        return line + f" {error}"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    lines = [
        train(rank),
        train(rank, divide_by_initial_world_size=False),
        train(rank, throw_on_early_termination=True),
    ]
    dist.destroy_process_group()
    return lines


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        of_rank_0, of_rank_1 = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
    print("join():", of_rank_0[0], of_rank_1[0], sep="\n")
    print("divide_by_initial_world_size=False:", of_rank_0[1], of_rank_1[1], sep="\n")
    print("throw_on_early_termination=True:", of_rank_0[2], of_rank_1[2], sep="\n")
