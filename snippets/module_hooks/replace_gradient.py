import torch
from torch import nn


def full_hook(module, grad_input, grad_output):
    return (2 * grad_input[0],)


def pre_hook(module, grad_output):
    return (2 * grad_output[0],)


for hook in (None, full_hook, pre_hook):
    fc = nn.Linear(1, 1, bias=False)
    nn.init.constant_(fc.weight, 3.0)
    if hook is full_hook:
        fc.register_full_backward_hook(hook)
    if hook is pre_hook:
        fc.register_full_backward_pre_hook(hook)
    u = torch.ones(1, 1, requires_grad=True)
    loss = 5 * fc(4 * u).sum()
    loss.backward()
    print(hook.__name__ if hook else "no hook")
    print("  fc.weight.grad:", fc.weight.grad.item())
    print("  u.grad:", u.grad.item())
