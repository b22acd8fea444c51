from collections import OrderedDict

import torch
from torch import nn

fc1, relu, fc2 = nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)
net = nn.Sequential(OrderedDict(fc1=fc1, relu=relu, fc2=fc2))
rows = [[1, 2, 3], [-4, -5, -6], [7, 8, 9], [-10, -11, -12]]
with torch.no_grad():
    fc1.weight.copy_(torch.tensor(rows))
    fc1.bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    fc2.weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    fc2.bias.fill_(1.0)


def keep(name, features):
    def hook(module, args, output):
        features[name] = output.detach()

    return hook


features = {}
for name, child in net.named_children():
    child.register_forward_hook(keep(name, features))
net(torch.ones(1, 3))
for name, output in features.items():
    print(f"{name}:", output)
