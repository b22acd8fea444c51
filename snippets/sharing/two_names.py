import torch
from torch import nn

model = nn.Sequential(nn.Embedding(2, 2), nn.Linear(2, 2, bias=False))
model[1].weight = model[0].weight

file = {"0.weight": torch.full((2, 2), 1.0), "1.weight": torch.full((2, 2), 7.0)}
print(model.load_state_dict(file))
print("embedding.weight:")
print(model[0].weight.data)
print("still one parameter:", model[1].weight is model[0].weight)

model.load_state_dict(file, assign=True)
print("with assign=True, one parameter:", model[1].weight is model[0].weight)
