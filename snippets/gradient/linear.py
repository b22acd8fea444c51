import torch
from torch import nn

layer = nn.Linear(1, 3)
print("weight:", tuple(layer.weight.shape), "bias:", tuple(layer.bias.shape))
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[1.0], [2.0], [-1.0]]))
    layer.bias.copy_(torch.tensor([0.0, 1.0, 4.0]))

x = torch.tensor([[1.0], [2.0]])
print("out:\n", layer(x).detach())
layer(x).sum().backward()
print("weight.grad:\n", layer.weight.grad)
print("bias.grad:", layer.bias.grad)
