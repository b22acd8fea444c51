import torch
from torch import nn

layer = nn.Linear(1, 1)
try:
    torch.optim.SGD([{"params": layer.parameters()}, {"params": [layer.bias]}], lr=0.1)
except ValueError as error:
    print("bias twice:", error)

groups = [{"params": []}, {"params": [], "lr": 0.01}]
for name, p in layer.named_parameters():
    groups[name.endswith("bias")]["params"].append(p)
optimizer = torch.optim.SGD(groups, lr=0.1)
for group in optimizer.param_groups:
    print(f"lr {group['lr']}:", [list(p.shape) for p in group["params"]])
