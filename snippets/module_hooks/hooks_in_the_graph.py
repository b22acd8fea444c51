import torch
from torch import nn


class Multiply(nn.Module):
    def forward(self, a, b):
        return a * b


net = Multiply()
net.register_forward_pre_hook(lambda m, args: (args[0] + 10, args[1]))
net.register_forward_hook(lambda m, args, out: out * 100)

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = net(a, b)
y.backward()
print("y:", y.detach())
print("a.grad:", a.grad)
print("b.grad:", b.grad)
