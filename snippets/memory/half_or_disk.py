import tempfile
from pathlib import Path

import torch
from torch.autograd.graph import saved_tensors_hooks

w = torch.tensor([1.001, 3.0], requires_grad=True)


def to_half(tensor):
    return tensor.to(torch.bfloat16)


def from_half(packed):
    return packed.to(torch.float32)


def to_disk(tensor):
    path = Path(folder) / f"{len(paths)}.pt"
    paths.append(path)
    torch.save(tensor, path)
    return path


def from_disk(path):
    return torch.load(path)


def run(name, pack, unpack):
    w.grad = None
    with saved_tensors_hooks(pack, unpack):
        y = w**3
    y.sum().backward()
    print(f"{name}: y {y.detach()}")
    print(f"  w.grad {w.grad}")


with tempfile.TemporaryDirectory() as folder:
    paths = []
    run("disk", to_disk, from_disk)
    print("  files:", len(paths))
run("bfloat16", to_half, from_half)
