import torch
from torch import nn

model = nn.Sequential(nn.LazyLinear(2), nn.Linear(2, 1))
try:
    print(sum(p.numel() for p in model.parameters()))
except ValueError as error:
    print("before a batch:", str(error).split(". ")[0])

model(torch.zeros(4, 3))
print("after a batch:", sum(p.numel() for p in model.parameters()))
