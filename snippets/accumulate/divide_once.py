import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
target = torch.tensor([3.0, 5.0, 7.0, 9.0])
w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()

for part in (slice(0, 2), slice(2, 4)):
    mse(w * x[part], target[part]).backward()
print("before dividing, w.grad:", w.grad)

w.grad /= 2
print(".grad divided once, w.grad:", w.grad)
