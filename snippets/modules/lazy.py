import torch
from torch import nn

net = nn.Sequential(nn.LazyLinear(2), nn.Linear(2, 1))
weight = net[0].weight
print("before:", type(weight).__name__)
try:
    print(sum(p.numel() for p in net.parameters()))
except ValueError as error:
    print("ValueError:", str(error).split(" in ")[0])

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(4, 3))
print("after:", type(weight).__name__, tuple(weight.shape))
print("the same object:", net[0].weight is weight)
print("elements:", sum(p.numel() for p in net.parameters()))

before = weight.detach().clone()
net(torch.ones(4, 3)).sum().backward()
optimizer.step()
print("moved:", not torch.equal(before, weight))
