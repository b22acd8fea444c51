import torch
from torch import nn


class Add(nn.Module):
    def forward(self, a, b, c):
        return a + b + c


def two(module, args):
    a, b = args[:2]
    return a + 10, b


def all_of_them(module, args):
    a, *rest = args
    return a + 10, *rest


a, b, c = torch.tensor(2.0), torch.tensor(3.0), torch.tensor(4.0)
for hook in (two, all_of_them):
    net = Add()
    net.register_forward_pre_hook(hook)
    try:
        print(f"{hook.__name__}:", net(a, b, c))
    except TypeError as error:
        print(f"{hook.__name__}: TypeError:", error)
