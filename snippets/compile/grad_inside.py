import torch
from torch import nn


class Force(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1, bias=False)
        nn.init.constant_(self.linear.weight, 2.0)

    def energy(self, x):
        return (self.linear(x) ** 2).sum()


class AutogradGrad(Force):
    def forward(self, x):
        e = self.energy(x)
        g = torch.autograd.grad(e, x, create_graph=True)
        return g[0]


class FuncGrad(Force):
    def forward(self, x):
        return torch.func.grad(self.energy)(x)


def attempt(net, name):
    torch.compiler.reset()
    model = net
    if name != "not compiled":
        model = torch.compile(net, fullgraph=name == "fullgraph")
    x = torch.ones(1, 2, requires_grad=True)
    print(f"{type(net).__name__}, {name}")
    try:
        force = model(x)
        print(f"  force: {force.tolist()}")
        force.sum().backward()
        grad = net.linear.weight.grad
        print(f"  weight.grad: {grad.tolist()}")
    except RuntimeError as error:
        print(f"  {str(error).splitlines()[0]}")


for kind in (AutogradGrad, FuncGrad):
    for name in ("not compiled", "compiled", "fullgraph"):
        attempt(kind(), name)
