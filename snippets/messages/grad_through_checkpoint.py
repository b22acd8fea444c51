import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)
for reentrant in (True, False):
    y = checkpoint(torch.square, w, use_reentrant=reentrant)
    try:
        (grad,) = torch.autograd.grad(y, w)
        print(f"use_reentrant={reentrant}, gradient:", grad)
    except RuntimeError as error:
        print(f"use_reentrant={reentrant}:", str(error).split(". ")[0])
