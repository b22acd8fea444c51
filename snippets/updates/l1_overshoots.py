import torch
from torch import nn

l1 = nn.L1Loss()
target = torch.tensor(0.0)
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1)

loss = l1(2 * w - 1, target)
loss.backward()
print("before, loss:", loss.item())
print("w.grad:", w.grad.item())
optimizer.step()
print("after step, w:", w.item())
print("after step, loss:", l1(2 * w - 1, target).item())
