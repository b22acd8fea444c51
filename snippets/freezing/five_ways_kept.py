import weakref

import torch
from torch import nn

kept = weakref.WeakSet()


class Saved:
    def __init__(self, tensor):
        self.tensor = tensor
        kept.add(self)


def run(way, mode=torch.enable_grad):
    front, part, head = (nn.Linear(2, 2) for _ in range(3))
    part.requires_grad_(way != "requires_grad_").train(way != "eval")
    y = front(torch.ones(1, 2))
    with mode():
        y = part(y)
    y = y.detach() if way == "detach" else y
    loss = head(y).sum()
    print(f"{way}, tensors kept: {len(kept)}")
    loss.backward()


with torch.autograd.graph.saved_tensors_hooks(Saved, lambda saved: saved.tensor):
    for way in ("nothing", "eval", "requires_grad_", "detach"):
        run(way)
    run("no_grad", torch.no_grad)
