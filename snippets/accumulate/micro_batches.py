import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
target = torch.tensor([3.0, 5.0, 7.0, 9.0])
w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()

mse(w * x, target).backward()
print("one batch of 4, w.grad:", w.grad)

w.grad = None
for part in (slice(0, 2), slice(2, 4)):
    mse(w * x[part], target[part]).backward()
print("two of 2, not divided, w.grad:", w.grad)

w.grad = None
for part in (slice(0, 2), slice(2, 4)):
    (mse(w * x[part], target[part]) / 2).backward()
print("two of 2, divided by 2, w.grad:", w.grad)
