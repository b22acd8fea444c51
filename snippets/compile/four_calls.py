import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.outer = nn.Linear(2, 1)

    def forward(self, x):
        return self.outer(self.inner(x).relu())


def backend(graph, inputs):
    names.append(f"graph {len(names) + 1}")
    name = names[-1]
    steps = [node.name for node in graph.graph.nodes if node.op.startswith("call")]
    print(f"compiler: {name} ({' '.join(steps)})")

    def run(*inputs):
        print(f"compiled code: {name} runs")
        return graph(*inputs)

    return run


def hook(module, args, output):
    print("Python: the hook prints")


names = []
x = torch.ones(1, 2)
net = Net()
compiled = torch.compile(net, backend=backend)
print("script: call 1")
y = compiled(x)
net.inner.register_forward_hook(hook)
print("script: the hook is registered")
print("script: call 2")
y = compiled(x)
torch.compiler.reset()
print("script: reset()")
print("script: call 3")
y = compiled(x)
print("script: call 4")
y = compiled(x)
