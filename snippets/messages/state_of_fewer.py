import torch
from torch import nn

layer = nn.Linear(1, 1)
saved = torch.optim.Adam([layer.weight]).state_dict()
try:
    torch.optim.Adam(layer.parameters()).load_state_dict(saved)
except ValueError as error:
    print("weight and bias:", error)

optimizer = torch.optim.Adam([layer.weight])
optimizer.load_state_dict(saved)
optimizer.add_param_group({"params": [layer.bias]})
print("weight, then bias:", [len(group["params"]) for group in optimizer.param_groups])
