import torch
from torch import nn

fired = []
inner = nn.Linear(1, 1)
net = nn.Sequential(inner)
net.register_forward_hook(lambda m, args, out: fired.append("net"))
inner.register_forward_hook(lambda m, args, out: fired.append("inner"))

x = torch.ones(1, 1)
net(x)
print("called net:", fired)
fired.clear()
net.forward(x)
print("called net.forward:", fired)
