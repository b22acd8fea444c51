import torch
from torch import nn


def times_10(module, args, output):
    return output * 10


def plus_1(module, args, output):
    return output + 1


for prepend in (False, True):
    net = nn.Identity()
    net.register_forward_hook(times_10)
    net.register_forward_hook(plus_1, prepend=prepend)
    print(f"plus_1 with prepend={prepend}:", net(torch.tensor(1.0)))

net = nn.Identity()
net.register_forward_hook(plus_1)
net.register_forward_hook(plus_1)
print("plus_1 twice:", net(torch.tensor(1.0)))
