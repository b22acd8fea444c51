import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)
named = dict(layer.named_parameters())
try:
    torch.optim.SGD(named, lr=0.5)
except TypeError as error:
    print("a dict:", error)

optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
layer(torch.ones(1)).backward()
optimizer.step()
print("parameters(), after a step:", layer.weight.item())
