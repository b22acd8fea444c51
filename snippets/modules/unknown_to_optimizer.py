import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
optimizer = torch.optim.Adam(net.parameters())
net[1] = nn.Linear(3, 4)

known = set()
for group in optimizer.param_groups:
    known.update(group["params"])
for name, p in net.named_parameters():
    print(name, "known to the optimizer:", p in known)
extra = known - set(net.parameters())
print("tensors that the model no longer has:", len(extra))
