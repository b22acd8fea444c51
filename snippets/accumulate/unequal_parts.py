import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
target = torch.tensor([3.0, 5.0, 7.0, 9.0])
w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()
parts = (slice(0, 3), slice(3, 4))

mse(w * x, target).backward()
print("one batch of 4, w.grad:", w.grad)

w.grad = None
for part in parts:
    (mse(w * x[part], target[part]) / 2).backward()
print("3 and 1, each divided by 2, w.grad:", w.grad)

w.grad = None
for part in parts:
    (mse(w * x[part], target[part]) * len(x[part]) / 4).backward()
print("3 and 1, weighted by size, w.grad:", w.grad)
