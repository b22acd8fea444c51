from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


class Experts(nn.ModuleList):
    def forward(self, x, chosen):
        return self[chosen](x)


def train(rank):
    x = torch.tensor([[2.0], [6.0]])[rank : rank + 1]
    mesh = dist.init_device_mesh("cpu", (2,))
    lines = []
    for counted in (False, True):
        experts = Experts(nn.Linear(1, 2, bias=False) for _ in range(2))
        fully_shard(experts, mesh=mesh)
        experts.set_reduce_scatter_unused_params(counted)
        experts(x, chosen=rank).sum().backward()
        grads = [e.weight.grad for e in experts]
        grads = [None if grad is None else grad.to_local().item() for grad in grads]
        lines.append(f"rank {rank}, unused counted {counted}: {grads}")
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
