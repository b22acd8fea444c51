import warnings

import torch
from torch import nn


def report(module, grad_input, grad_output):
    print("  in the hook, grad_input:", grad_input)
    print("  in the hook, weight.grad:", module.weight.grad)


for needs_grad in (False, True):
    print("x.requires_grad:", needs_grad)
    fc = nn.Linear(1, 1, bias=False)
    nn.init.constant_(fc.weight, 3.0)
    fc.register_full_backward_hook(report)
    x = torch.tensor([[4.0]], requires_grad=needs_grad)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (5 * fc(x)).sum().backward()
    for warning in caught:
        first, _, _ = str(warning.message).partition(". ")
        print("  UserWarning:", first)
    print("  after backward, weight.grad:", fc.weight.grad)
