import torch
from torch import nn


def names(net):
    return [name for name, _ in net.named_parameters()]


net = nn.Module()
net.scale = torch.ones(1)
print("plain tensor:", names(net))
net.scale = nn.Parameter(torch.ones(1))
print("nn.Parameter:", names(net))
net.scale = None
print("None:", names(net), "still a name:", "scale" in dir(net))
try:
    net.scale = torch.ones(1)
except TypeError as error:
    print(error)
