import torch
from torch.nn.utils import clip_grad_norm_

x = torch.tensor([1.0, 7.0])


def added_after(a, b):
    return ((a[None] + b[None]) * x).sum()


def added_before(a, b):
    return ((a + b)[None] * x).sum()


for loss in (added_before, added_after):
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    loss(a, b).backward()
    print(f"{loss.__name__}, first pass, a.grad:", a.grad.tolist())
    print("  same memory:", a.grad.data_ptr() == b.grad.data_ptr())
    loss(a, b).backward()
    print("  second pass, a.grad:", a.grad.tolist())

    a.grad = b.grad = None
    loss(a, b).backward()
    norm = clip_grad_norm_([a, b], max_norm=1.0).item()
    print(f"  norm {norm:.4f}, clipped, a.grad:", [round(g, 4) for g in a.grad.tolist()])
