import copy

import torch
from torch import nn


def conv(channels, out, stride):
    layer = nn.Conv2d(channels, out, 3, stride, padding=1)
    return nn.Sequential(layer, nn.ReLU())


torch.manual_seed(0)
encoder = nn.Sequential(
    *(conv(3, 4, 2), conv(4, 8, 2), conv(8, 16, 2), conv(16, 32, 2)),
    *(nn.Flatten(), nn.Linear(32, 16), nn.Linear(16, 32)),
    *(nn.Unflatten(1, (8, 2, 2)), conv(8, 16, 1), nn.PixelShuffle(2)),
)
print("encoder, parameters:", len(list(encoder.parameters())))
print("fresh, trainable:", sum(p.requires_grad for p in encoder.parameters()))
encoder.requires_grad_(False)
print("frozen, trainable:", sum(p.requires_grad for p in encoder.parameters()))

net = nn.ModuleDict({"encoder": encoder, "decoder": nn.Conv2d(4, 3, 3, padding=1)})
old = copy.deepcopy(net)
net["decoder"](encoder(torch.rand(2, 3, 16, 16))).sum().backward()
torch.optim.SGD(net.parameters(), lr=0.1).step()
for name in net:
    pairs = list(zip(net[name].parameters(), old[name].parameters(), strict=True))
    print(f"{name}, with a gradient:", sum(p.grad is not None for p, _ in pairs))
    print(f"{name}, moved:", sum(not torch.equal(p, q) for p, q in pairs))
