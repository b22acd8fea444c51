import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)


def block(x):
    y = w * x
    return y, y.detach()


for reentrant in (True, False):
    y, to_log = checkpoint(block, x, use_reentrant=reentrant)
    print("use_reentrant:", reentrant)
    print("  to_log.requires_grad:", to_log.requires_grad)
    w.grad = None
    (5 * y + to_log).backward()
    print("  w.grad:", w.grad)
