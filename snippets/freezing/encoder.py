import copy

import torch
from torch import nn


def conv(inputs, outputs, stride):
    layer = nn.Conv2d(inputs, outputs, 3, stride, padding=1)
    return nn.Sequential(layer, nn.ReLU())


torch.manual_seed(0)
down = nn.Sequential(conv(3, 4, 2), conv(4, 8, 2), conv(8, 16, 2), conv(16, 32, 2))
code = nn.Sequential(nn.Flatten(), nn.Linear(32, 16), nn.Linear(16, 32))
up = nn.Sequential(nn.Unflatten(1, (8, 2, 2)), conv(8, 16, 1), nn.PixelShuffle(2))
encoder = nn.Sequential(down, code, up)
decoder = nn.Conv2d(4, 3, 3, padding=1)
print("encoder, parameters:", len(list(encoder.parameters())))
print("fresh, trainable:", sum(p.requires_grad for p in encoder.parameters()))
encoder.requires_grad_(False)
print("frozen, trainable:", sum(p.requires_grad for p in encoder.parameters()))

model = nn.Sequential(encoder, decoder)
old = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.rand(2, 3, 16, 16)).sum().backward()
optimizer.step()
for name, part, before in (("encoder", encoder, old[0]), ("decoder", decoder, old[1])):
    pairs = zip(part.parameters(), before.parameters(), strict=True)
    moved = [not torch.equal(p, q) for p, q in pairs]
    received = [p.grad is not None for p in part.parameters()]
    print(f"{name}, with a gradient:", sum(received))
    print(f"{name}, moved:", sum(moved))
