import tempfile
import uuid
from pathlib import Path

import torch
from torch.autograd.graph import saved_tensors_hooks

w = torch.tensor([1.001, 3.0], requires_grad=True)


def to_half(tensor):
    return tensor.to(torch.bfloat16)


def to_disk(tensor):
    path = Path(folder) / f"{uuid.uuid4()}.pt"
    torch.save(tensor, path)
    return path


def run(name, pack, unpack):
    w.grad = None
    with saved_tensors_hooks(pack, unpack):
        y = w**3
    y.sum().backward()
    print(f"{name}: y {y.detach()}")
    print(f"  w.grad {w.grad}")


with tempfile.TemporaryDirectory() as folder:
    run("disk", to_disk, torch.load)
    print("  files:", len(list(Path(folder).iterdir())))
run("bfloat16", to_half, lambda packed: packed.to(torch.float32))
