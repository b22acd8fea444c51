import copy

import torch
from torch import nn


def conv(inputs, outputs, stride):
    layer = nn.Conv2d(inputs, outputs, 3, stride, padding=1)
    return nn.Sequential(layer, nn.ReLU())


def count_trainable(module):
    return sum(p.requires_grad for p in module.parameters())


def report(name, module, old):
    before = dict(old.named_parameters())
    received = 0
    moved = 0
    for key, p in module.named_parameters():
        received += p.grad is not None
        moved += not torch.equal(p, before[key])
    print(f"{name}, with a gradient:", received)
    print(f"{name}, moved:", moved)


torch.manual_seed(0)
encoder = nn.Sequential(
    conv(3, 4, 2),
    conv(4, 8, 2),
    conv(8, 16, 2),
    conv(16, 32, 2),
    nn.Flatten(),
    nn.Linear(32, 16),
    nn.Linear(16, 32),
    nn.Unflatten(1, (8, 2, 2)),
    conv(8, 16, 1),
    nn.PixelShuffle(2),
)
decoder = nn.Conv2d(4, 3, 3, padding=1)
print("encoder, parameters:", len(list(encoder.parameters())))
print("fresh, trainable:", count_trainable(encoder))
encoder.requires_grad_(False)
print("frozen, trainable:", count_trainable(encoder))

old_encoder = copy.deepcopy(encoder)
old_decoder = copy.deepcopy(decoder)
model = nn.Sequential(encoder, decoder)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.rand(2, 3, 16, 16)).sum().backward()
optimizer.step()
report("encoder", encoder, old_encoder)
report("decoder", decoder, old_decoder)
