import torch
from torch import nn


def in_place(module, args):
    args[0].mul_(10)


def returned(module, args):
    return (args[0] * 10,)


for hook in (in_place, returned):
    net = nn.Identity()
    net.register_forward_pre_hook(hook)
    x = torch.tensor([1.0])
    first, second = net(x).item(), net(x).item()
    print(f"{hook.__name__}: first {first}, second {second}, x: {x.item()}")
