import torch
from torch import nn


class Root(nn.Module):
    def forward(self, x):
        if x < 0:
            raise ValueError("x must not be negative")
        return x**0.5


def usual(module, args, output):
    print("  usual hook, output:", output)


def always(module, args, output):
    print("  always_call hook, output:", output)


net = Root()
net.register_forward_hook(usual)
net.register_forward_hook(always, always_call=True)
for x in (torch.tensor(9.0), torch.tensor(-9.0)):
    print("x:", x)
    try:
        net(x)
    except ValueError as error:
        print("  ValueError:", error)
