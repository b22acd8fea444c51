from functools import partial

import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)


def block(x):
    x *= 2
    return (w * x) ** 2


def block_of_list(parts):
    return block(parts[0])


def block_of_copy(x):
    return block(x.clone())


def report(name, y):
    w.grad = None
    try:
        y.backward()
        print(f"{name}: w.grad {w.grad.item()}")
    except RuntimeError as error:
        print(f"{name}: {str(error).split(': ')[0]}")


checkpointed = partial(checkpoint, use_reentrant=False)
report("no checkpoint", block(torch.tensor(1.0)))
report("argument", checkpointed(block, torch.tensor(1.0)))
report("in a list", checkpointed(block_of_list, [torch.tensor(1.0)]))
report("copy", checkpointed(block_of_copy, torch.tensor(1.0)))
