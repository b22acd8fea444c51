import torch
from torch import nn


def penalize(module, grad_input, grad_output):
    print("  grad mode inside:", torch.is_grad_enabled())
    print("  grad_input requires grad:", grad_input[0].requires_grad)
    try:
        grad_input[0].square().sum().backward()
    except RuntimeError as error:
        print("  RuntimeError:", error)


net = nn.Linear(1, 1, bias=False)
nn.init.constant_(net.weight, 2.0)
net.register_full_backward_hook(penalize)
x = torch.ones(1, requires_grad=True)
net(x).square().backward()
print("weight.grad:", net.weight.grad)
