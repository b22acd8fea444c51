import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)
handle = layer.register_forward_hook(lambda module, args, output: output + module(*args))
try:
    layer(torch.ones(1))
except RecursionError as error:
    print("module:", str(error).partition(" while")[0])

handle.remove()
layer.register_forward_hook(lambda module, args, output: output + module.forward(*args))
print("module.forward:", layer(torch.ones(1)).item())
