import torch
from torch.func import vmap


def stays_tensor(x):
    return x * x.max()


def in_place(x):
    total = torch.zeros_like(x)
    total += x
    return total


def branch(x):
    return torch.where(x.sum() > 0, x, -x)


def one_place(x, i):
    return x[i]


def before(x, i):
    j = torch.arange(2)
    return torch.where(j < i, x, 0.0).sum()


x = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
for f in (stays_tensor, in_place, branch):
    print(f"{f.__name__}:", vmap(f)(x).tolist())

i = torch.tensor([1, 0])
for f in (one_place, before):
    print(f"{f.__name__}:", vmap(f)(x, i).tolist())
