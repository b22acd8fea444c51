import torch
from torch import nn

block = nn.Module()
try:
    block.register_parameter("scale", torch.ones(2))
except TypeError as error:
    print(error)

block.register_parameter("scale", nn.Parameter(torch.ones(2)))
block.register_buffer("mean", torch.zeros(2))
print("parameters:", [name for name, _ in block.named_parameters()])
print("buffers:", [name for name, _ in block.named_buffers()])
