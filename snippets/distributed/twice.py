from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.checkpoint import checkpoint


class Twice(nn.Linear):
    def forward(self, x):
        for _ in range(2):
            x = checkpoint(super().forward, x, use_reentrant=self.reentrant)
        return x


def attempt(rank, name, before, reentrant=True, frozen=False):
    layer = Twice(1, 1, bias=False).requires_grad_(not frozen)
    nn.init.ones_(layer.weight)
    layer.reentrant = reentrant
    x = torch.tensor([1.0 + 2 * rank], requires_grad=True)
    try:
        ddp = nn.parallel.DistributedDataParallel(nn.Sequential(before, layer))
        ddp(x).sum().backward()
        return f"rank {rank}, {name}: {layer.weight.grad.item()}"
    except RuntimeError as error:
        return f"rank {rank}, {name}: {str(error).partition(' This error')[0]}"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    scale = nn.Linear(1, 1, bias=False)
    nn.init.ones_(scale.weight)
    lines = [
        attempt(rank, "not reentrant", scale, reentrant=False),
        attempt(rank, "reentrant", scale),
        attempt(rank, "reentrant, alone", nn.Identity()),
        attempt(rank, "frozen", nn.Identity(), frozen=True),
    ]
    dist.destroy_process_group()
    return "\n".join(lines)


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        lines = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        print(*lines, sep="\n")
