import warnings

import torch
from torch import nn


def report(module, grad_input, grad_output):
    print("in the hook, weight.grad:", module.weight.grad)


warnings.simplefilter("ignore")
fc = nn.Linear(1, 1, bias=False)
fc.register_full_backward_hook(report)
for x in (4.0, 7.0):
    fc(torch.tensor([[x]])).sum().backward()
    print("after backward, weight.grad:", fc.weight.grad)
