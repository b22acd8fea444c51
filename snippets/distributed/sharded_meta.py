from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(2, 1)
        self.out = nn.Linear(1, 2, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, word):
        return self.out(self.embed(word))


def train(rank):
    mesh = dist.init_device_mesh("cpu", (2,))
    lines = []
    for order in ("to_empty first", "fully_shard first"):
        with torch.device("meta"):
            model = Words()
        if order == "to_empty first":
            model.to_empty(device="cpu")
        fully_shard(model, mesh=mesh)
        if order == "fully_shard first":
            model.to_empty(device="cpu")
        for parameter in model.parameters():
            nn.init.ones_(parameter)
        model(torch.tensor([0])).sum().backward()
        grads = [p.grad.full_tensor().flatten().tolist() for p in model.parameters()]
        lines.append(f"rank {rank}, {order}: {len(grads)} parameters, {grads}")
    return "\n".join(lines)


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    line = train(rank)
    dist.destroy_process_group()
    return line


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        print(*ranks.map(start, [0, 1], [f"{folder}/meet"] * 2), sep="\n")
