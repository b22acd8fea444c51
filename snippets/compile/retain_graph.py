import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2, bias=False)
        self.outer = nn.Linear(2, 2, bias=False)
        nn.init.ones_(self.inner.weight)
        nn.init.ones_(self.outer.weight)

    def forward(self, x):
        h = self.inner(x)
        return self.outer(h * h)


def one_call(first, second):
    (first + second).backward()


def two_calls(first, second):
    first.backward(retain_graph=True)
    second.backward()


def report(name, model, step):
    net.zero_grad()
    losses = model(x)[0]
    print(f"{name}, {step.__name__}")
    try:
        step(losses[0], losses[1])
        print(f"  inner.weight.grad[0, 0]: {net.inner.weight.grad[0, 0]:g}")
    except RuntimeError as error:
        print(f"  {str(error).split('. ')[0]}")


x = torch.ones(1, 2)
net = Net()
compiled = torch.compile(net)
report("not compiled", net, two_calls)
report("compiled", compiled, one_call)
report("compiled", compiled, two_calls)
torch.compiler.reset()
with torch._functorch.config.patch(donated_buffer=False):
    report("donated_buffer=False", compiled, two_calls)
