import warnings

import torch
from torch import nn


class TwoProducts(nn.Module):
    def forward(self, x):
        return 5 * (3 * x)


def report(module, grad_input, grad_output):
    print("  grad_input[0]:", grad_input[0])


for register in ("register_backward_hook", "register_full_backward_hook"):
    print(register)
    net = TwoProducts()
    getattr(net, register)(report)
    x = torch.tensor(1.0, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        net(x).backward()
    print("  x.grad:", x.grad)
    print("  warned:", any(w.category is FutureWarning for w in caught))
