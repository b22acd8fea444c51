import torch
from torch import nn

net = nn.Linear(3, 2)
parameters = net.parameters()
print("elements:", sum(p.numel() for p in parameters))
try:
    torch.optim.SGD(parameters, lr=0.1)
except ValueError as error:
    print("ValueError:", error)

parameters = list(net.parameters())
print("elements:", sum(p.numel() for p in parameters))
optimizer = torch.optim.SGD(parameters, lr=0.1)
held = optimizer.param_groups[0]["params"]
print("the optimizer holds", len(held), "tensors")
