import warnings

import torch
from torch import nn


def fires(module, run):
    fired = []
    handle = module.register_full_backward_hook(lambda *_: fired.append(True))
    run()
    handle.remove()
    return bool(fired)


warnings.simplefilter("ignore")
fc = nn.Linear(2, 2)
frozen = nn.Linear(2, 2).requires_grad_(False)
x = torch.ones(1, 2)
leaf = torch.ones(1, 2, requires_grad=True)

print("fc(x):", fires(fc, lambda: fc(x).sum().backward()))
print("fc.forward(x):", fires(fc, lambda: fc.forward(x).sum().backward()))
print("frozen(leaf):", fires(frozen, lambda: frozen(leaf).sum().backward()))
print("frozen(x):", fires(frozen, lambda: (frozen(x) + fc(x)).sum().backward()))
