import torch
from torch import nn

image = torch.ones(1, 2)
encoder = nn.Linear(2, 2).requires_grad_(False)
decoder = nn.Linear(2, 1)
code = encoder(image)
weight = decoder.weight

print("code, requires_grad:", code.requires_grad)
print("code + image:", (code + image).requires_grad)
print("code + weight:", (code + weight).requires_grad)
print("decoder(code):", decoder(code).requires_grad)
