import torch
from torch import nn


def pre_hook(module, grad_output):
    print("pre_hook, grad_output:", grad_output[0].item())
    return (2 * grad_output[0],)


def full_hook(module, grad_input, grad_output):
    print("full_hook, grad_output:", grad_output[0].item())
    print("full_hook, grad_input:", grad_input[0].item())


fc = nn.Linear(1, 1, bias=False)
nn.init.constant_(fc.weight, 3.0)
fc.register_full_backward_hook(full_hook)
fc.register_full_backward_pre_hook(pre_hook)
x = torch.tensor([[4.0]], requires_grad=True)
(5 * fc(x)).sum().backward()
