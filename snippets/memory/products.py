import torch
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

a = torch.ones(8, 8, requires_grad=True)
b = torch.ones(8, 8, requires_grad=True)
x = torch.ones(8, 8, requires_grad=True)


def block(x):
    return torch.tanh(x @ a) @ b


def show(name, output):
    counter = FlopCounterMode(display=False)
    with counter:
        output.sum().backward()
    products = counter.get_total_flops() // (2 * 8 * 8 * 8)
    print(f"{name}: {products} products in backward()")


show("no checkpoint", block(x))
for reentrant in (True, False):
    y = checkpoint(block, x, use_reentrant=reentrant)
    show(f"use_reentrant={reentrant}", y)
