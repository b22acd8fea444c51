import torch
from torch import nn


class Add(nn.Module):
    def forward(self, a, b, c=0.0):
        return a + b + c


def both(module, args, kwargs):
    return (args[0] + 10, args[1]), kwargs


def args_only(module, args, kwargs):
    return args[0] + 10, args[1]


def one_value(module, args, kwargs):
    return args[0] + 10


a, b = torch.tensor(2.0), torch.tensor(3.0)
for hook in (both, args_only, one_value):
    net = Add()
    net.register_forward_pre_hook(hook, with_kwargs=True)
    try:
        print(f"{hook.__name__}:", net(a, b))
    except (RuntimeError, TypeError) as error:
        print(f"{hook.__name__}: {type(error).__name__}:", error)
