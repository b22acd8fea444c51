import torch
from torch import nn

mse = nn.MSELoss()
z = torch.tensor(1.0, requires_grad=True)
noise = torch.tensor(3.0)

loss = mse(z, z + noise)
loss.backward()
print("loss:", loss.item())
print("z on both sides, z.grad:", z.grad)

z.grad = None
loss = mse(z, (z + noise).detach())
loss.backward()
print("target detached, loss:", loss.item())
print("target detached, z.grad:", z.grad)
