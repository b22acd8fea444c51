import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
for width in (16, 64, 256):
    drops = []
    for _ in range(40):
        layers = nn.Sequential(*(nn.Linear(width, width, bias=False) for _ in range(29)))
        for layer in layers:
            nn.init.normal_(layer.weight, std=1 / width**0.5)
        x = torch.zeros(1, width, requires_grad=True)
        layers(x).backward(torch.ones(1, width))
        drops.append((x.grad.norm() / width**0.5).log())
    drops = torch.stack(drops)
    print(f"width {width}: mean of the log {drops.mean():.2f}, spread {drops.std():.2f}")
