from collections import OrderedDict

import torch
from torch import nn

fc1, relu, fc2 = nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)
with torch.no_grad():
    signs = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]])
    fc1.weight.copy_(torch.arange(1.0, 13.0).reshape(4, 3) * signs)
    fc1.bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    fc2.weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    fc2.bias.fill_(1.0)
net = nn.Sequential(OrderedDict(fc1=fc1, relu=relu, fc2=fc2))


def report(name):
    def hook(module, grad_input, grad_output):
        print(f"{name}, grad_output: {grad_output[0]}")
        print(f"{name}, grad_input: {grad_input[0]}")

    return hook


for name, child in net.named_children():
    child.register_full_backward_hook(report(name))
x = torch.ones(1, 3, requires_grad=True)
net(x).backward()
