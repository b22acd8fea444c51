from contextlib import contextmanager, nullcontext

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

norm = nn.BatchNorm1d(1, momentum=0.75)
again = False


@contextmanager
def recomputing():
    global again
    again = True
    momentum, norm.momentum = norm.momentum, 0.0
    try:
        yield
    finally:
        again = False
        norm.momentum = momentum


def contexts():
    return nullcontext(), recomputing()


def note(layer, args, output):
    if not again:
        print("hook fired: BatchNorm1d")


norm.register_forward_hook(note)
x = torch.tensor([[1.0], [3.0]])
y = checkpoint(norm, x, use_reentrant=False, context_fn=contexts)
(y[0] ** 2).sum().backward()
print("running_mean:", norm.running_mean)
