import torch
from torch import nn


class Split(nn.Module):
    def forward(self, x, y, scale=1.0):
        return scale * x, scale * y


def report(module, args, output):
    print("  args is a", type(args).__name__, "of", len(args))
    print("  output is a", type(output).__name__)


x = torch.ones(1, 2)
for name, net, inputs, keywords in [
    ("Linear(x)", nn.Linear(2, 2), (x,), {}),
    ("Split(x, x)", Split(), (x, x), {}),
    ("Split(x, y=x)", Split(), (x,), {"y": x}),
]:
    print(f"{name}:")
    net.register_forward_hook(report)
    net(*inputs, **keywords)
