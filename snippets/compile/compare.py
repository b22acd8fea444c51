import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1, bias=False)
        self.outer = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.inner.weight, 3.0)
        nn.init.constant_(self.outer.weight, 5.0)

    def forward(self, x):
        return self.outer(self.inner(x))


def gradients(model):
    net.zero_grad()
    model(x).sum().backward()
    named = net.named_parameters()
    return {name: p.grad.clone() for name, p in named}


def compare(title):
    print(title)
    eager = gradients(net)
    found = gradients(compiled)
    for name, grad in eager.items():
        other = found[name].item()
        print(f"  {name}: eager {grad.item():g}, compiled {other:g}")
    torch.testing.assert_close(found, eager)
    print("  all close")


def double(module, args, output):
    return output * 2


x = torch.tensor([[2.0]])
net = Net()
compiled = torch.compile(net)
compare("no hook")

net.inner.register_forward_hook(double)
try:
    compare("a hook after the first call")
except AssertionError as error:
    print(f"  {str(error).splitlines()[0]}")
