import copy
import warnings

import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
with torch.no_grad():
    signs = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]])
    net[0].weight.copy_(torch.arange(1.0, 13.0).reshape(4, 3) * signs)
    net[0].bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    net[2].weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))


def report(module, grad_input, grad_output):
    for grad in grad_input:
        print("  in grad_input:", grad.flatten())


for register in ("register_backward_hook", "register_full_backward_hook"):
    print(register)
    model = copy.deepcopy(net)
    getattr(model, register)(report)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model(torch.ones(1, 3, requires_grad=True)).backward()
    for warning in caught:
        print("  FutureWarning:", str(warning.message).split(". ")[0])
