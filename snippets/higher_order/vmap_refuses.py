import torch
from torch.func import vmap


def to_number(x):
    return x * x.max().item()


def in_place(x):
    total = torch.zeros(2)
    total += x
    return total


def branch(x):
    if x.sum() > 0:
        return x
    return -x


def slice_it(x, i):
    return x[:i].sum()


x = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
for f in (to_number, in_place, branch):
    try:
        vmap(f)(x)
    except RuntimeError as error:
        print(f"{f.__name__}:")
        print(" ", str(error).split(", please")[0])

i = torch.tensor([1, 2])
try:
    vmap(slice_it)(x, i)
except RuntimeError as error:
    print("slice_it:")
    print(" ", str(error).split(", please")[0])
