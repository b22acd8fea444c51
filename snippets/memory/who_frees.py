import weakref

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

model = nn.Sequential(nn.Linear(16, 16), nn.GELU())
x = torch.ones(64, 16)
alive = weakref.WeakSet()


class Kept:
    def __init__(self, tensor):
        self.tensor = tensor.detach()
        alive.add(self)


def show(moment):
    size = sum(kept.tensor.nbytes for kept in alive)
    print(f"{moment}: {size} bytes")


with saved_tensors_hooks(Kept, lambda kept: kept.tensor):
    loss = model(x).mean()
    show("after the forward pass")
    loss.backward()
    show("after backward()")
    loss = model(x).mean()
    show("another forward pass")
    del loss
    show("no backward(), loss deleted")
    with torch.no_grad():
        loss = model(x).mean()
    show("forward pass under no_grad()")
