import torch
from torch import nn

conv = nn.Conv2d(1, 1, 1, bias=False)
nn.init.constant_(conv.weight, 2.0)
other = nn.Conv2d(1, 1, 1, bias=False)


def fuse():
    fused = nn.Conv2d(1, 1, 1, bias=False)
    fused.requires_grad_(False)
    fused.weight.copy_(3 * conv.weight)
    return fused


fused = fuse()
print("copied, is_leaf:", fused.weight.is_leaf)
try:
    other.weight = fused.weight
except ValueError as error:
    print("assigned:", error)

with torch.no_grad():
    fused = fuse()
print("under no_grad, is_leaf:", fused.weight.is_leaf)
other.weight = fused.weight
print("assigned, weight:", other.weight.item())
