import torch
from torch import nn


def in_place(module, args, output):
    output.mul_(2)


def returned(module, args, output):
    return output * 2


for net in (nn.Sigmoid(), nn.Identity()):
    for hook in (returned, in_place):
        handle = net.register_forward_hook(hook)
        x = torch.zeros(1, requires_grad=True)
        try:
            net(x + 0).backward()
            print(f"{net}, {hook.__name__}, x.grad:", x.grad)
        except RuntimeError as error:
            print(f"{net}, {hook.__name__}:", str(error).split(": [")[0])
        handle.remove()
