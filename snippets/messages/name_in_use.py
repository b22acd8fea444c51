import torch
from torch import nn

layer = nn.Linear(1, 1)
layer.scale = torch.ones(1)
try:
    layer.register_buffer("scale", torch.ones(1))
except KeyError as error:
    print("name in use:", error.args[0])

del layer.scale
layer.register_buffer("scale", torch.ones(1))
print("attribute deleted:", [name for name, _ in layer.named_buffers()])
