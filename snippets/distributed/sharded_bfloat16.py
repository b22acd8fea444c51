from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def train(rank):
    x = torch.tensor([[256.0], [1.0]])[rank : rank + 1]
    lines = []
    for reduce_dtype in (torch.bfloat16, torch.float32):
        model = nn.Linear(1, 2, bias=False)
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce_dtype)
        mesh = dist.init_device_mesh("cpu", (2,))
        fully_shard(model, mesh=mesh, mp_policy=policy)
        y = model(x)
        y.float().sum().backward()
        w = model.weight
        kinds = f"y {y.dtype}, weight {w.dtype}, .grad {w.grad.dtype}"
        lines.append(f"rank {rank}, reduced in {reduce_dtype}: {w.grad.to_local().item()}, {kinds}")
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
