import torch
from torch import nn


class Add(nn.Module):
    def forward(self, a, b, c):
        return a + b + c


def before(module, args):
    a, b = args
    return a + 10, b


def after(module, args, output):
    print("forward hook, args:", args)
    print("forward hook, output:", output)
    return output + 100


net = Add()
net.register_forward_pre_hook(before)
net.register_forward_hook(after)
a, b, c = torch.tensor(2.0), torch.tensor(3.0), torch.tensor(4.0)
print("returned:", net(a, b, c=c))
