import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1)
mse = nn.MSELoss()

y1 = 2 * w + 1
y2 = 2 * y1
y3 = -y1
loss_to_0 = mse(y2, torch.tensor(0.0))
loss_to_1 = mse(y2, torch.tensor(1.0))

(loss_to_0 + loss_to_1).backward()
print("w.grad:", w.grad)

optimizer.step()
print("after step, w:", w)
