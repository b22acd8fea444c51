import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


x = torch.ones(1, 2, dtype=torch.float64)
for container in (list, nn.ModuleList):
    net = Net(container([nn.Linear(2, 2), nn.Linear(2, 2)]))
    net.double()
    print(container.__name__, len(list(net.parameters())))
    try:
        print("   ", net(x).dtype)
    except RuntimeError as error:
        print("   ", error)
