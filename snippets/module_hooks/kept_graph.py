from weakref import ref

import torch
from torch import nn


def alive(keep, grad=True):
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    hidden, kept = [], []
    net[1].register_forward_hook(lambda m, args, out: hidden.append(ref(out)))
    net[2].register_forward_hook(lambda m, args, out: kept.append(keep(out)))
    with torch.set_grad_enabled(grad):
        for _ in range(3):
            net(torch.ones(1, 2))
    return sum(output() is not None for output in hidden)


print("outputs kept:", alive(lambda out: out))
print("outputs detached, then kept:", alive(lambda out: out.detach()))
print("outputs kept, under no_grad:", alive(lambda out: out, grad=False))
