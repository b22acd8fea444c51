import torch
from torch import nn

model = nn.Module()
model.layers = [nn.Linear(2, 1)]
print("a plain list:", len(list(model.parameters())), "parameters")
try:
    torch.optim.SGD(model.parameters(), lr=0.1)
except ValueError as error:
    print("ValueError:", error)

model.layers = nn.ModuleList([nn.Linear(2, 1)])
print("an nn.ModuleList:", len(list(model.parameters())), "parameters")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("in the optimizer:", len(optimizer.param_groups[0]["params"]))
