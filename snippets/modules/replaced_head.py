import torch
from torch import nn


def layer(weight):
    made = nn.Linear(1, 1, bias=False)
    nn.init.constant_(made.weight, weight)
    return made


net = nn.Sequential(layer(1.0), layer(2.0))
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
old = net[1]
new = layer(3.0)
net[1] = new

net(torch.ones(1)).sum().backward()
optimizer.step()
print("new head, gradient:", new.weight.grad.item())
print("new head, weight:", new.weight.item())
print("old head, gradient:", old.weight.grad)
print("body, weight:", net[0].weight.item())

optimizer.add_param_group({"params": [new.weight]})
optimizer.step()
print("after add_param_group, new head:", new.weight.item())
