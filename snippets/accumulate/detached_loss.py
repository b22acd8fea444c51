import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()

y2 = 2 * (2 * w + 1)
loss_to_0 = mse(y2, torch.tensor(0.0))
loss_to_1 = mse(y2.detach(), torch.tensor(1.0))

(loss_to_0 + loss_to_1).backward()
print("w.grad:", w.grad)
