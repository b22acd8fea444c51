from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def clip(rank):
    a, b = nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)
    fully_shard(a, mesh=init_device_mesh("cpu", (2,)))
    (a(torch.tensor([[3.0, 0.0]])) + b(torch.tensor([[0.0, 4.0]]))).sum().backward()
    try:
        nn.utils.clip_grad_norm_([a.weight, b.weight], max_norm=1.0)
    except RuntimeError as error:
        message = str(error)
    norm_a = nn.utils.get_total_norm([a.weight.grad]).full_tensor()
    norm_b = nn.utils.get_total_norm([b.weight.grad])
    norm = torch.stack([norm_a, norm_b]).norm()
    nn.utils.clip_grads_with_norm_([a.weight], 1.0, norm)
    nn.utils.clip_grads_with_norm_([b.weight], 1.0, norm)
    lines = [message, f"norms: {norm_a} and {norm_b}, together {norm}"]
    lines += [f"a.weight.grad: {a.weight.grad.full_tensor()}", f"b.weight.grad: {b.weight.grad}"]
    return "\n".join(lines)


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    line = clip(rank)
    dist.destroy_process_group()
    return line


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        lines = list(ranks.map(start, [0, 1], [f"{folder}/meet"] * 2))
        print(lines[0])
        print("the same on rank 1:", lines[1] == lines[0])
