import torch
from torch.func import grad


def line(w):
    return 3 * w


def size(w):
    return w.abs()


for f in (line, size):
    w = torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad(f(w), w, create_graph=True)
    print(f"{f.__name__}: first {g.item()}", end="  second: ")
    try:
        (second,) = torch.autograd.grad(g, w)
        print(second.item())
    except RuntimeError as error:
        print(error)
    print("  grad(grad(f)):", grad(grad(f))(w.detach()).item())
