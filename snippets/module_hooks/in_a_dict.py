import warnings

import torch
from torch import nn


class Double(nn.Module):
    def __init__(self, pack):
        super().__init__()
        self.pack = pack

    def forward(self, x):
        return self.pack(2 * x)


def note(module, grad_input, grad_output):
    fired.append(module)


x = torch.tensor(3.0, requires_grad=True)
for pack in (lambda y: (y,), lambda y: {0: y}):
    fired = []
    double = Double(pack)
    double.register_full_backward_hook(note)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = double(x)
        result[0].backward()
    print(type(result).__name__, "returned, fired:", bool(fired))
    for warning in caught:
        print("  UserWarning:", warning.message)
