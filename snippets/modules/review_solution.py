import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.Linear(1, 1, bias=False)
        self.layers = nn.ModuleList([layer])
        self.head = nn.Linear(1, 1, bias=False)

    def forward(self, x):
        return self.head(self.layers[0](x))


net = Net()
net.head = nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
first = net.layers[0].weight
nn.init.constant_(first, 2.0)
nn.init.constant_(net.head.weight, 3.0)
net(torch.ones(1)).sum().backward()
optimizer.step()
print("first, weight:", first.item())
print("head, weight:", net.head.weight.item())
