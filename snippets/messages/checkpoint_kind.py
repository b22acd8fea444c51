import warnings

import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    checkpoint(torch.square, w).backward()
    print("not passed:", str(caught[0].message).split(". ")[0])
    w.grad = None
    caught.clear()
    checkpoint(torch.square, w, use_reentrant=False).backward()
    print("use_reentrant=False, w.grad:", w.grad, "warnings:", len(caught))
