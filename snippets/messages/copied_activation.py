import copy

import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)
layer.seen = layer(torch.tensor([2.0]))
try:
    copy.deepcopy(layer)
except RuntimeError as error:
    print("with a graph:", str(error).split(" at the moment")[0])

layer.seen = layer(torch.tensor([2.0])).detach()
copied = copy.deepcopy(layer)
print("detached, copied.seen:", copied.seen)
print("copied.weight:", copied.weight.item())
