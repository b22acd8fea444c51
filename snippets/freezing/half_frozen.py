import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

layer = weight_norm(nn.Linear(2, 1, bias=False))
length, direction = layer.parameters()
with torch.no_grad():
    length.copy_(torch.tensor([[10.0]]))
    direction.copy_(torch.tensor([[3.0, 4.0]]))
print("weight:", layer.weight.data)

direction.requires_grad_(False)
layer(torch.tensor([[1.0, 2.0]])).sum().backward()
print("length.grad:", length.grad)
print("direction.grad:", direction.grad)
torch.optim.SGD(layer.parameters(), lr=1).step()
print("after step, weight:", layer.weight.data)
