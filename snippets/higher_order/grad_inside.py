import torch
from torch.func import grad


def without(x):
    (g,) = torch.autograd.grad(x**4, x)
    return g


def with_graph(x):
    (g,) = torch.autograd.grad(x**4, x, create_graph=True)
    return g


def fourth(x):
    return x**4


x = torch.tensor(2.0)
for f in (without, with_graph, grad(fourth)):
    print("value:", f(x.clone().requires_grad_()).item(), end="  ")
    print("its derivative:", grad(f)(x).item())
