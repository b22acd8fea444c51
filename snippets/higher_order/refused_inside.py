import torch
from torch.func import grad


def asks(x):
    x.requires_grad_()
    return x**2


def goes_back(x):
    y = x**2
    y.backward()
    return y


x = torch.tensor(2.0)
for f in (asks, goes_back):
    try:
        grad(f)(x)
    except RuntimeError as error:
        print(f"{f.__name__}:")
        print(" ", str(error).split(". ")[0])
