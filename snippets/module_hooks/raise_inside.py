import torch
from torch import nn

limit = 2.0


def check(module, grad_input, grad_output):
    if grad_input[0].abs() > limit:
        raise ValueError("gradient refused")


fc1 = nn.Linear(1, 1, bias=False)
fc2 = nn.Linear(1, 1, bias=False)
nn.init.constant_(fc1.weight, 2.0)
nn.init.constant_(fc2.weight, 3.0)
fc2.register_full_backward_hook(check)
x = torch.ones(1, 1, requires_grad=True)
try:
    fc2(fc1(x)).backward()
except ValueError as error:
    print("ValueError:", error)
print("fc2.weight.grad:", fc2.weight.grad)
print("fc1.weight.grad:", fc1.weight.grad)
