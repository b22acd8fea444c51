import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
nn.init.constant_(net[0].weight, 2.0)
nn.init.constant_(net[1].weight, 3.0)
net.requires_grad_(False)

x = torch.tensor([[1.0]], requires_grad=True)
net(x).sum().backward()
print("x.grad:", x.grad)
print("weight.grad:", net[0].weight.grad, net[1].weight.grad)
