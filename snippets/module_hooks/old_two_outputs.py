import warnings

import torch
from torch import nn


class Two(nn.Module):
    def forward(self, x):
        return 2 * x, 3 * x


def report(module, grad_input, grad_output):
    print("  grad_output:", grad_output)
    print("  grad_input:", grad_input)


warnings.simplefilter("ignore")
x = torch.tensor(1.0, requires_grad=True)
for register in ("register_backward_hook", "register_full_backward_hook"):
    two = Two()
    getattr(two, register)(report)
    print(f"{register}, both outputs used")
    first, second = two(x)
    (10 * first + 100 * second).backward()
    print(f"{register}, second output alone")
    first, second = two(x)
    (100 * second).backward()
