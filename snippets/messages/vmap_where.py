import torch
from torch.func import vmap


def by_if(x):
    return x if x > 0 else -10 * x


def by_where(x):
    return torch.where(x > 0, x, -10 * x)


x = torch.tensor([2.0, -3.0])
try:
    vmap(by_if)(x)
except RuntimeError as error:
    print("if:", str(error).split(", please")[0])
print("where:", vmap(by_where)(x))
