import weakref

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

alive = weakref.WeakSet()


class Kept:
    def __init__(self, tensor):
        self.tensor = tensor
        alive.add(self)


def run(way):
    front, part, head = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    if way == "eval":
        part.eval()
    if way == "frozen":
        part.requires_grad_(False)
    y = front(torch.ones(1, 2))
    with torch.set_grad_enabled(way != "no_grad"):
        y = part(y)
    if way == "detach":
        y = y.detach()
    loss = head(y).sum()
    print(f"{way}, tensors kept: {len(alive)}")
    loss.backward()


with saved_tensors_hooks(Kept, lambda kept: kept.tensor):
    for way in ("nothing", "eval", "frozen", "detach", "no_grad"):
        run(way)
