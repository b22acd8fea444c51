import torch
from torch.utils.checkpoint import checkpoint


def edits(x):
    s = torch.sigmoid(x)
    s += 1
    return s * s


def does_not_edit(x):
    s = torch.sigmoid(x)
    s = s + 1
    return s * s


def run(name, block, **settings):
    x = torch.zeros(1, requires_grad=True)
    try:
        y = checkpoint(block, x, **settings) if settings else block(x)
        y.sum().backward()
        print(f"  {name}: x.grad {x.grad.item()}")
    except RuntimeError as error:
        print(f"  {name}: {str(error).split(': ')[0]}")


for block in (edits, does_not_edit):
    print(block.__name__)
    run("no checkpoint", block)
    run("use_reentrant=True", block, use_reentrant=True)
    run("use_reentrant=False", block, use_reentrant=False)
