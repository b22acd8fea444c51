from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def train(rank):
    x = torch.tensor([[6.0, 0.0], [0.0, 8.0]])[rank : rank + 1]
    factors = torch.tensor([3.0, 4.0])
    model = nn.Linear(2, 2, bias=False)
    ddp = nn.parallel.DistributedDataParallel(deepcopy(model))
    (ddp(x) * factors).sum().backward()
    with_ddp = ddp.module.weight.grad.tolist()

    fully_shard(model, mesh=dist.init_device_mesh("cpu", (2,)))
    w = model.weight
    seen = []
    w.register_hook(lambda grad: seen.append("tensor hook"))
    w.register_post_accumulate_grad_hook(
        lambda w: seen.append(f"post-accumulate hook {w.grad.to_local().tolist()}")
    )
    (model(x) * factors).sum().backward()
    whole = w.grad.full_tensor().tolist()
    own = w.grad.norm().item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
    clipped = [round(g, 4) for g in w.grad.to_local()[0].tolist()]
    return f"""rank {rank}: DDP {with_ddp}, full_tensor() {whole}
rank {rank}: {seen}
rank {rank}: norm() {own}, clip_grad_norm_ {norm.full_tensor()}, clipped {clipped}"""


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
