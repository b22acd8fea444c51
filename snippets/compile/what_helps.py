import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.outer = nn.Linear(2, 1)

    def forward(self, x):
        return self.outer(self.inner(x).relu())


x = torch.ones(1, 2, requires_grad=True)
fired = []


def hook(*args):
    fired.append(1)


def prepare():
    torch.compiler.reset()
    net = Net()
    return net, torch.compile(net)


def report(name, call):
    fired.clear()
    call(x).sum().backward()
    print(f"{name}: fired {len(fired)}")


net, compiled = prepare()
handle = net.inner.register_forward_hook(hook)
report("registered before the first call", compiled)
handle.remove()
report("removed again", compiled)
net, compiled = prepare()
compiled(x)
net.inner.register_forward_hook(hook)
report("registered later", compiled)
report("called without compile", net)
torch.compiler.reset()
report("after torch.compiler.reset()", compiled)
