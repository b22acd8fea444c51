import torch
from torch import nn

net = nn.Linear(1, 1)
hidden = nn.Module()
hidden.layers = [nn.Linear(1, 1)]
w = torch.ones(2, requires_grad=True)
for name, parameters in [
    ("net.parameters()", net.parameters()),
    ("net.named_parameters()", net.named_parameters()),
    ("[w]", [w]),
    ("[{'params': w}]", [{"params": w}]),
    ("[constant]", [torch.ones(2)]),
    ("w", w),
    ("[]", []),
    ("hidden.parameters()", hidden.parameters()),
    ("[2 * w]", [2 * w]),
    ("[{'params': {w}}]", [{"params": {w}}]),
    ("dict(net.named_parameters())", dict(net.named_parameters())),
]:
    try:
        torch.optim.SGD(parameters, lr=0.1)
        print(f"{name}: accepted")
    except (TypeError, ValueError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
