import torch
from torch import nn

layer = nn.Linear(16, 8)
layer(torch.ones(1, 16)).sum().backward()
print("numbers:", sum(p.numel() for p in layer.parameters()))
print("shape of weight.grad:", tuple(layer.weight.grad.shape))
