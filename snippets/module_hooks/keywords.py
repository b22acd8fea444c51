import torch
from torch import nn


class Add(nn.Module):
    def forward(self, a, b, c):
        return a + b + c


def blind(module, args):
    print("blind hook, args:", args)


def seeing(module, args, kwargs):
    print("seeing hook, kwargs:", kwargs)
    return args, {"c": kwargs["c"] + 1000}


def after(module, args, kwargs, output):
    print("forward hook, kwargs:", kwargs)


net = Add()
net.register_forward_pre_hook(blind)
net.register_forward_pre_hook(seeing, with_kwargs=True)
net.register_forward_hook(after, with_kwargs=True)
a, b, c = torch.tensor(2.0), torch.tensor(3.0), torch.tensor(4.0)
print("returned:", net(a, b, c=c))
