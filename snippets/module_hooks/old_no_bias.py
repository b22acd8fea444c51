import warnings

import torch
from torch import nn


def report(module, grad_input, grad_output):
    for place, grad in enumerate(grad_input):
        print(f"  grad_input[{place}]:", grad.flatten())


warnings.simplefilter("ignore")
for bias in (True, False):
    fc = nn.Linear(2, 1, bias=bias)
    fc.weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
    fc.register_backward_hook(report)
    x = torch.tensor([[5.0, 6.0]], requires_grad=True)
    print("bias:", bias)
    fc(x).backward()
    print("  x.grad:", x.grad.flatten())
