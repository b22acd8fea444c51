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
compiled(x)
compiled.register_forward_hook(hook)
report("forward hook on the compiled module", compiled)
net, compiled = prepare()
compiled.register_full_backward_hook(hook)
report("full backward hook on it", compiled)
with torch._dynamo.config.patch(skip_nnmodule_hook_guards=False):
    net, compiled = prepare()
    compiled(x)
    net.inner.register_forward_hook(hook)
    report("with guards for hooks", compiled)
