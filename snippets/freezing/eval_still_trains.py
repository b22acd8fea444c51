import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 2.0)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

layer.eval()
layer(torch.tensor([[5.0]])).sum().backward()
optimizer.step()
print("weight.grad:", layer.weight.grad)
print("after step, weight:", layer.weight.data)
