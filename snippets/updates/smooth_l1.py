import torch
from torch import nn

smooth_l1 = nn.SmoothL1Loss(beta=1.0)
target = torch.tensor(0.0)
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1875)
for step in range(4):
    optimizer.zero_grad()
    smooth_l1(2 * w - 1, target).backward()
    optimizer.step()
    print(f"step {step}: w.grad={w.grad.item()} w={w.item():.4f}")
