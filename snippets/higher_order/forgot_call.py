import torch
from torch import nn
from torch.func import functional_call, grad

net = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[1.0, 2.0]]))


def forgot(weights, x):
    return net(x).square().sum()


def right(weights, x):
    y = functional_call(net, weights, (x,))
    return y.square().sum()


weights = {"weight": net.weight.detach()}
x = torch.tensor([1.0, 1.0])
for f in (forgot, right):
    print(f"{f.__name__}: loss", f(weights, x).item(), end=" ")
    print("gradient:", grad(f)(weights, x)["weight"][0].tolist())
