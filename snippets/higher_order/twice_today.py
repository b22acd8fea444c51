import torch
from torch.nn import functional as F


def log_softmax(x):
    return F.log_softmax(x, dim=0)[0]


def convolution(x):
    kernel = torch.tensor([[[3.0]]])
    return (F.conv1d(x[None, None], kernel) ** 2).sum()


x = torch.tensor([0.0, 0.0], requires_grad=True)
for f in (log_softmax, convolution):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(g[0], x)
    print(f"{f.__name__}: first {g.tolist()}")
    print(f"  second: {second.tolist()}")
