import torch
from torch import nn

net = nn.Linear(1, 1)
fired = []


def features(x, remove):
    handle = net.register_forward_hook(lambda m, args, out: fired.append(out))
    net(x)
    if remove:
        handle.remove()


for remove in (True, False):
    print("handle.remove():", remove)
    for call in range(3):
        fired.clear()
        features(torch.ones(1, 1), remove)
        print("  call", call, "hooks that fired:", len(fired))
