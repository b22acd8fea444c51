import torch
from torch import nn

x = torch.tensor([5.0, 7.0])
layer = nn.Linear(2, 1, bias=False)
raw = layer.weight
optimizer = torch.optim.SGD(layer.parameters(), lr=1)

try:
    layer.weight = 3 * raw
except TypeError as error:
    print("TypeError:", error)

layer.weight = nn.Parameter(3 * raw)
layer(x).sum().backward()
print("wrapped, weight.grad:", layer.weight.grad)
print("wrapped, raw.grad:", raw.grad)
print("the optimizer has raw:", optimizer.param_groups[0]["params"][0] is raw)

scaled = 3 * raw
nn.functional.linear(x, scaled).sum().backward()
print("another name, raw.grad:", raw.grad)
