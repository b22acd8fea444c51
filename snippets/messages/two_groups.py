import torch
from torch import nn

layer = nn.Linear(1, 1)
try:
    torch.optim.SGD([{"params": layer.parameters()}, {"params": [layer.bias]}], lr=0.1)
except ValueError as error:
    print("bias twice:", error)

named = list(layer.named_parameters())
weights = [p for name, p in named if name.endswith("weight")]
biases = [p for name, p in named if name.endswith("bias")]
optimizer = torch.optim.SGD([{"params": weights}, {"params": biases, "lr": 0.01}], lr=0.1)
for group in optimizer.param_groups:
    print(f"lr {group['lr']}:", [list(p.shape) for p in group["params"]])
