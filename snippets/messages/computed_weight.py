import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
try:
    layer.weight = 2 * layer.weight
except TypeError as error:
    print("assigned:", error)

with torch.no_grad():
    layer.weight.copy_(torch.tensor([[5.0]]))
print("copied:", layer.weight.item())
x = torch.tensor([[3.0]])
nn.functional.linear(x, 2 * layer.weight).backward()
print("computed in use, weight.grad:", layer.weight.grad)
