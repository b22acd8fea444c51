import torch
from torch import nn


def conv(channels, out, size):
    return nn.Sequential(nn.Conv2d(channels, out, 3, size, padding=1), nn.ReLU())


torch.manual_seed(0)
encoder = nn.Sequential(
    *(conv(3, 4, 2), conv(4, 8, 2), conv(8, 16, 2), conv(16, 32, 2)),
    *(nn.Flatten(), nn.Linear(32, 16), nn.Linear(16, 32)),
    *(nn.Unflatten(1, (8, 2, 2)), conv(8, 16, 1), nn.PixelShuffle(2)),
)
decoder = nn.Conv2d(4, 3, 3, padding=1)
net = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
flags = [p.requires_grad for p in encoder.parameters()]
print("encoder, parameters:", len(flags), "all require a gradient:", all(flags))

encoder.requires_grad_(False)
flags = [p.requires_grad for p in encoder.parameters()]
print("frozen, any requires a gradient:", any(flags))

before = {name: p.detach().clone() for name, p in net.named_parameters()}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
decoder(encoder(torch.rand(2, 3, 16, 16))).sum().backward()
optimizer.step()
print("gradient:", [n for n, p in net.named_parameters() if p.grad is not None])
print("moved:", [n for n, p in net.named_parameters() if (p != before[n]).any()])
