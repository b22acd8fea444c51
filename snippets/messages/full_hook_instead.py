import warnings

import torch
from torch import nn


def report(module, grad_input, grad_output):
    print("  grad_input:", grad_input[0])


linear = nn.Linear(1, 1, bias=False)
nn.init.constant_(linear.weight, 2.0)
x = torch.tensor([3.0], requires_grad=True)
for kind in ("old", "full"):
    print(f"{kind} hook:")
    model = nn.Sequential(linear, nn.ReLU())
    if kind == "old":
        model.register_backward_hook(report)
    else:
        model.register_full_backward_hook(report)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model(x).backward()
    for warning in caught:
        print("  warning:", str(warning.message).split(" and will")[0])
