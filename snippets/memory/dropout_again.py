import torch
from torch.nn.functional import dropout
from torch.utils.checkpoint import checkpoint

w = torch.ones(6, requires_grad=True)

for preserve in (True, False):
    torch.manual_seed(0)
    settings = {"preserve_rng_state": preserve}
    y = checkpoint(dropout, w, p=0.5, use_reentrant=False, **settings)
    w.grad = None
    y.sum().backward()
    print("preserve_rng_state:", preserve)
    print("  result:  ", y.detach())
    print("  gradient:", w.grad)
