import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

layer = weight_norm(nn.Linear(2, 1, bias=False))
layer.weight = torch.tensor([[3.0, 4.0]])

nn.init.zeros_(layer.weight)
print("after nn.init.zeros_:", layer.weight.tolist())
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[6.0, 8.0]]))
print("after copy_:", layer.weight.tolist())

layer.weight = torch.tensor([[6.0, 8.0]])
print("after layer.weight = ...:", layer.weight.tolist())
for name, parameter in layer.named_parameters():
    print(" ", name, parameter.tolist())

layer.weight = torch.zeros(1, 2)
print("after zeros:", layer.weight.tolist())
