import warnings

import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)
data = torch.tensor(2.0)


def block(x):
    return w * x


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    y = checkpoint(block, data, use_reentrant=True)
    print("True:", caught[0].message)
print("y.requires_grad:", y.requires_grad)
checkpoint(block, data, use_reentrant=False).backward()
print("False, w.grad:", w.grad)
