import torch
from torch import nn

net = nn.Linear(2, 3)
nn.init.ones_(net.weight)


def halve(module, grad_input, grad_output):
    return tuple(None if g is None else g * 0.5 for g in grad_input)


net.register_full_backward_hook(halve)
x = torch.ones(4, 2, requires_grad=True)
net(x).sum().backward()
print("x.grad:", x.grad)
print("weight.grad:", net.weight.grad)
