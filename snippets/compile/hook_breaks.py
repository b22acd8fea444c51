import torch
from torch import nn
from torch._dynamo.utils import counters


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.outer = nn.Linear(2, 1)

    def forward(self, x):
        return self.outer(self.inner(x).relu())


x = torch.ones(1, 2, requires_grad=True)
kept = []


def keep(module, args, output):
    kept.append(output.detach())


def say(module, args, output):
    print("  (the hook prints)")


def backward_hook(module, grad_input, grad_output):
    kept.append(grad_output[0])


for name in ("no hook", "keep", "say", "full backward hook"):
    torch.compiler.reset()
    counters.clear()
    net = Net()
    if name == "keep":
        net.inner.register_forward_hook(keep)
    if name == "say":
        net.inner.register_forward_hook(say)
    if name == "full backward hook":
        net.inner.register_full_backward_hook(backward_hook)
    compiled = torch.compile(net, backend="eager")
    print(name)
    compiled(x)
    stats = counters["stats"]
    print(f"  graphs: {stats['unique_graphs']}")
    print(f"  operations in them: {stats['calls_captured']}")
    for reason in counters["graph_break"]:
        print(f"  break: {reason.splitlines()[0]}")
