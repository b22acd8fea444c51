import torch
from torch import nn

for error in (10.0, 1.0, 0.5, 0.0, -0.5, -10.0):
    print(f"error {error}:")
    for loss_function in (nn.L1Loss(), nn.MSELoss()):
        w = torch.tensor(1.0, requires_grad=True)
        y = 2 * w - 1
        loss_function(y, y.detach() - error).backward()
        print(f"  {type(loss_function).__name__}, w.grad: {w.grad.item()}")
