import warnings

import torch
from torch.utils.checkpoint import checkpoint

code = torch.tensor(2.0)
w = torch.tensor(3.0, requires_grad=True)
head = torch.tensor(5.0, requires_grad=True)


def block(x):
    return w * x


for reentrant in (True, False):
    print("use_reentrant:", reentrant)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = checkpoint(block, code, use_reentrant=reentrant)
    for warning in caught:
        print(f"  {warning.category.__name__}:", warning.message)
    w.grad = head.grad = None
    (head * y).backward()
    print(f"  w.grad: {w.grad}, head.grad: {head.grad}")
