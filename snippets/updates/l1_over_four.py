import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
for x in (torch.ones(1), torch.ones(4)):
    for reduction in ("mean", "sum"):
        w.grad = None
        nn.L1Loss(reduction=reduction)(2 * w * x - 1, torch.zeros_like(x)).backward()
        print(f"errors: {len(x)} {reduction}, w.grad: {w.grad.item()}")
