import torch
from torch import nn


def report(module, grad_input, grad_output):
    print("  grad mode inside:", torch.is_grad_enabled())
    print("  grad_input requires grad:", grad_input[0].requires_grad)


net = nn.Linear(1, 1, bias=False)
nn.init.constant_(net.weight, 2.0)
net.register_full_backward_hook(report)
x = torch.ones(1, requires_grad=True)
for create_graph in (False, True):
    print("create_graph:", create_graph)
    y = net(x).square()
    (gradient,) = torch.autograd.grad(y, x, create_graph=create_graph)
    print("  gradient:", gradient.detach())
