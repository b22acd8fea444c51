import torch
from torch import nn

target = torch.tensor(0.0)
for loss_function in (nn.L1Loss(), nn.MSELoss()):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1875)
    print(f"{type(loss_function).__name__}:")
    for step in range(4):
        optimizer.zero_grad()
        loss_function(2 * w - 1, target).backward()
        optimizer.step()
        print(f"  step {step}: w.grad={w.grad.item()} w={w.item()}")
