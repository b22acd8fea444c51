import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import weight_norm

layer = weight_norm(nn.Linear(2, 1, bias=False))
layer.weight = torch.tensor([[3.0, 4.0]])
x = torch.tensor([[1.0, 2.0]])

weight = layer.weight
weight.retain_grad()
layer(x).sum().backward()
print("the same tensor twice:", layer.weight is layer.weight)
print("weight.grad after retain_grad():", weight.grad)
for name, parameter in layer.named_parameters():
    print(name, parameter.tolist(), "grad", parameter.grad)

with parametrize.cached():
    weight = layer.weight
    weight.retain_grad()
    layer(x).sum().backward()
print("weight.grad, cached:", weight.grad)
