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


x = torch.ones(1, 2)
stack = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
for net in (Net(), stack):
    name = type(net).__name__
    torch.compiler.reset()
    counters.clear()
    torch.compile(net, backend="eager")(x)
    graphs = counters["stats"]["unique_graphs"]
    print(f"torch.compile({name}), graphs: {graphs}")

    torch.compiler.reset()
    counters.clear()
    net.compile(backend="eager")
    net(x)
    graphs = counters["stats"]["unique_graphs"]
    print(f"{name}.compile(), graphs: {graphs}")
