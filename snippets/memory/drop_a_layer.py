import random

import torch
from torch.utils.checkpoint import CheckpointError, checkpoint

random.seed(3)


def one_or_other(x):
    return x.sin() if random.random() < 0.5 else x.exp()


def one_or_two(x):
    y = x.exp()
    return y.sin() if random.random() < 0.5 else y


for block in (one_or_other, one_or_two):
    x = torch.tensor(0.0, requires_grad=True)
    y = checkpoint(block, x, use_reentrant=False)
    print(f"{block.__name__}: {y.item():.0f}, {type(y.grad_fn).__name__}")
    try:
        y.backward()
        print("  x.grad:", x.grad)
    except CheckpointError as error:
        for line in str(error).splitlines()[:3]:
            print(" ", line)
