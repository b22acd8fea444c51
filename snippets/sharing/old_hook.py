import warnings

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.coef = nn.Parameter(torch.randn(1, 1, 40, 40))

    def forward(self, x):
        return self.coef * x


def report(module, grad_input, grad_output):
    print("  mean of grad_output:", grad_output[0].mean())
    print("  grad_input holds:", len(grad_input))


for register in ("register_backward_hook", "register_full_backward_hook"):
    print(register)
    net = Scale()
    getattr(net, register)(report)
    x = torch.ones(1, 1, 40, 40, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (net(x) + 2 * net(x)).mean().backward()
    for message in sorted({str(w.message).split(". ")[0] for w in caught}):
        print("  FutureWarning:", message)
