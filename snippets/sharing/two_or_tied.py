import torch
from torch import nn


def train(tied, make_optimizer):
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    encoder = nn.Parameter(w)
    decoder = None if tied else nn.Parameter(w.t())
    optimizer = make_optimizer([encoder] if tied else [encoder, decoder])
    x = torch.tensor([1.0, 2.0])
    for _ in range(3):
        optimizer.zero_grad()
        back = encoder.t() if tied else decoder
        (back @ (encoder @ x) - x).square().sum().backward()
        optimizer.step()
    return encoder.detach()


for name, make in [
    ("SGD", lambda p: torch.optim.SGD(p, lr=1e-4)),
    ("SGD with momentum", lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9)),
    ("SGD with weight decay", lambda p: torch.optim.SGD(p, lr=1e-4, weight_decay=1.0)),
    ("Adam", lambda p: torch.optim.Adam(p, lr=0.1)),
]:
    gap = (train(True, make) - train(False, make)).abs().max()
    print(f"{name}: largest difference after 3 steps: {gap:.4f}")
