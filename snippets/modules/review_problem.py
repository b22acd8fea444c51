import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(1, 1, bias=False)]
        self.head = nn.Linear(1, 1, bias=False)

    def forward(self, x):
        return self.head(self.layers[0](x))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
net.head = nn.Linear(1, 1, bias=False)
first = net.layers[0].weight
nn.init.constant_(first, 2.0)
nn.init.constant_(net.head.weight, 3.0)
net(torch.ones(1)).sum().backward()
optimizer.step()
print("first, gradient:", first.grad.item())
print("head, gradient:", net.head.weight.grad.item())
print("first, weight:", first.item())
print("head, weight:", net.head.weight.item())
