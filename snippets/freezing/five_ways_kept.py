import weakref

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

kept = weakref.WeakSet()


class Saved:
    def __init__(self, tensor):
        self.tensor = tensor
        kept.add(self)


def run(way):
    front, part, head = (nn.Linear(2, 2) for _ in range(3))
    part.requires_grad_(way != "frozen").train(way != "eval")
    y = front(torch.ones(1, 2))
    with torch.no_grad() if way == "no_grad" else torch.enable_grad():
        y = part(y)
    y = y.detach() if way == "detach" else y
    loss = head(y).sum()
    print(f"{way}, tensors kept: {len(kept)}")
    loss.backward()


with saved_tensors_hooks(Saved, lambda saved: saved.tensor):
    for way in ("nothing", "eval", "frozen", "detach", "no_grad"):
        run(way)
