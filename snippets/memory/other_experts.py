import torch
from torch.utils.checkpoint import CheckpointError, checkpoint

noise = torch.Generator().manual_seed(0)


def choose():
    return torch.rand(4, generator=noise) < 0.5


def experts(x, first):
    return torch.cat([x[first].sin(), x[~first].exp()]).sum()


def chooses_inside(x):
    return experts(x, choose())


x = torch.zeros(4, requires_grad=True)
try:
    checkpoint(chooses_inside, x, use_reentrant=False).backward()
except CheckpointError as error:
    print("chosen inside:", str(error).splitlines()[0])
    lines = [line for line in str(error).splitlines() if "metadata:" in line]
    for line in lines[:2]:
        print(" ", line.split(", 'device")[0])
checkpoint(experts, x, choose(), use_reentrant=False).backward()
print("chosen outside, x.grad:", x.grad)
