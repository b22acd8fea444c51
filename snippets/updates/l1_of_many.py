import torch
from torch import nn

targets = torch.tensor([0.0, 1.0, 2.0, 4.0, 8.0])
l1 = nn.L1Loss()
for start in (-1.0, 0.5, 1.5, 2.0, 3.0, 9.0):
    y = torch.tensor(start, requires_grad=True)
    loss = l1(y.expand(5), targets)
    loss.backward()
    print(f"y={start}: y.grad={y.grad.item():z.4f}")
