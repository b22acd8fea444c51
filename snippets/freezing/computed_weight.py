import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

layer = weight_norm(nn.Linear(2, 1, bias=False))
print("parameters:")
for name, _ in layer.named_parameters():
    print(" ", name)
print("weight.is_leaf:", layer.weight.is_leaf)
try:
    layer.weight.requires_grad = False
except RuntimeError as error:
    print("RuntimeError:")
    for sentence in str(error).rstrip(".").split(". "):
        print(" ", sentence)

layer.requires_grad_(False)
print("frozen, weight.requires_grad:", layer.weight.requires_grad)
print("frozen, output requires_grad:", layer(torch.ones(1, 2)).requires_grad)
