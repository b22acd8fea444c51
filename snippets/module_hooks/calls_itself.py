import torch
from torch import nn


def by_call(module, args, output):
    print("by call:", module(*args))


def by_forward(module, args, output):
    print("by forward:", module.forward(*args).item())


net = nn.Linear(1, 1, bias=False)
nn.init.constant_(net.weight, 2.0)
for hook in (by_call, by_forward):
    handle = net.register_forward_hook(hook)
    try:
        net(torch.ones(1))
    except RecursionError as error:
        print("RecursionError:", str(error).partition(" while")[0])
    handle.remove()
