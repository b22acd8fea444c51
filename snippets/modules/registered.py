import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.Linear(1, 1, bias=False)
        self.hidden = nn.ModuleList([layer])
        self.shift = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("mean", torch.tensor(0.5))
        self.plain = torch.tensor(0.5)


net = Net()
names = [name for name, _ in net.named_parameters()]
print("parameters():", names)
print("state_dict():", list(net.state_dict()))
net.double()
print("shift:", net.shift.dtype)
print("hidden[0].weight:", net.hidden[0].weight.dtype)
print("mean:", net.mean.dtype)
print("plain:", net.plain.dtype)
