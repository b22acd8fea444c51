from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn


def memory_of_gradients(as_view):
    model = nn.Linear(3, 2)
    ddp = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=as_view)
    ddp(torch.ones(1, 3)).sum().backward()
    weight, bias = model.weight.grad, model.bias.grad
    same = weight.untyped_storage().data_ptr() == bias.untyped_storage().data_ptr()
    return f"as_view {as_view}: one storage {same}, {weight.untyped_storage().nbytes()} bytes"


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    lines = [memory_of_gradients(False), memory_of_gradients(True)]
    dist.destroy_process_group()
    return lines


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        rank0, rank1 = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
        print(*rank0, sep="\n")
