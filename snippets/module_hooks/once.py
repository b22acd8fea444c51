import torch
from torch import nn

net = nn.Linear(1, 1)
fired = []


def once(module, args, output):
    fired.append("once")
    handle.remove()


handle = net.register_forward_hook(once)
net.register_forward_hook(lambda m, args, out: fired.append("always"))
for call in range(2):
    fired.clear()
    net(torch.ones(1, 1))
    print("call", call, "fired:", fired)
