import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1)
mse = nn.MSELoss()

y1 = 2 * w + 1
loss2 = mse(2 * y1, torch.tensor(0.0))
loss3 = mse(-y1, torch.tensor(-15.0))

(loss2 + loss3).backward()
optimizer.step()
print("loss2 + loss3:", (loss2 + loss3).item())
print("w.grad:", w.grad)
print("after step, w:", w)
