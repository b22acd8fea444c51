import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def show(reentrant):
    def note(layer, args, output):
        fired.append(type(layer).__name__)

    block = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    for layer in [block, *block]:
        layer.register_forward_hook(note)
    x = torch.ones(2, 4, requires_grad=True)
    print(f"use_reentrant={reentrant}")

    fired = []
    y = checkpoint(block, x, use_reentrant=reentrant)
    print("  forward pass:", *fired)
    fired = []
    y.sum().backward()
    print("  computed again:", *fired)


show(True)
show(False)
