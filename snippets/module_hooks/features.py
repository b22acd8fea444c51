from collections import OrderedDict

import torch
from torch import nn

layers = OrderedDict(fc1=nn.Linear(3, 4), relu=nn.ReLU(), fc2=nn.Linear(4, 1))
net = nn.Sequential(layers)
rows = [[1.0, 2.0, 3.0], [-4.0, -5.0, -6.0], [7.0, 8.0, 9.0], [-10.0, -11.0, -12.0]]
with torch.no_grad():
    net.fc1.weight.copy_(torch.tensor(rows))
    net.fc1.bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    net.fc2.weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    net.fc2.bias.fill_(1.0)


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
