import torch
from torch import nn

start = 1.0
w0 = torch.tensor(start, requires_grad=True)
w1 = torch.tensor(start, requires_grad=True)
x0 = torch.tensor([1.0, 2.0])
x1 = torch.tensor([3.0, 4.0])
mse = nn.MSELoss()

mse(w0 * x0, 2 * x0 + 1).backward()
print("rank 0, own gradient:", w0.grad)
mse(w1 * x1, 2 * x1 + 1).backward()
print("rank 1, own gradient:", w1.grad)

mean = (w0.grad + w1.grad) / 2
w0.grad = mean
w1.grad = mean.clone()
print("rank 0, averaged:", w0.grad)
print("rank 1, averaged:", w1.grad)
