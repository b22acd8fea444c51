import torch
from torch.func import jacfwd, jacrev


def with_no_grad(x):
    with torch.no_grad():
        square = x * x
    return square * x


def with_detach(x):
    square = (x * x).detach()
    return square * x


x = torch.tensor(2.0)
for f in (with_no_grad, with_detach):
    print(f"{f.__name__}:")
    print("  jacrev:", jacrev(f)(x).item())
    print("  jacfwd:", jacfwd(f)(x).item())
