import torch
from torch import nn

layer = nn.Linear(2, 1)
nn.init.ones_(layer.weight)
nn.init.ones_(layer.bias)
groups = [
    {"params": [layer.weight], "weight_decay": 1.0},
    {"params": [layer.bias], "weight_decay": 0.0},
]
optimizer = torch.optim.SGD(groups, lr=0.1)

(0 * layer(torch.ones(2))).sum().backward()
print("weight.grad:", layer.weight.grad, " bias.grad:", layer.bias.grad)
optimizer.step()
print("after step, weight:", layer.weight.data, " bias:", layer.bias.data)
