import weakref

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

model = nn.Sequential(nn.Linear(16, 16), nn.GELU()).eval()
alive = weakref.WeakSet()


class Kept:
    def __init__(self, tensor):
        self.tensor = tensor.detach()
        alive.add(self)


def validate(grad, numbers):
    losses = []
    for batch in range(3):
        x = torch.ones(64, 16)
        with torch.set_grad_enabled(grad):
            loss = model(x).mean()
        losses.append(loss.item() if numbers else loss)
        size = sum(kept.tensor.nbytes for kept in alive)
        print(f"  batch {batch}: {size} bytes")


with saved_tensors_hooks(Kept, lambda kept: kept.tensor):
    print("eval(), append(loss):")
    validate(True, numbers=False)
    print("eval(), append(loss.item()):")
    validate(True, numbers=True)
    print("eval() and no_grad(), append(loss):")
    validate(False, numbers=False)
