from functools import partial

import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1))
late, early = {}, {}


def looked_up(module, args, output):
    late[name] = output


def given(layer, module, args, output):
    early[layer] = output


for name, child in net.named_children():
    child.register_forward_hook(looked_up)
    child.register_forward_hook(partial(given, name))
net(torch.ones(1, 1))
print("name looked up when the hook runs:", list(late))
print("name given when the hook is made:", list(early))
