import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
depth, width = 30, 64


def gradient_norms(start):
    torch.manual_seed(0)
    h = torch.randn(256, width, requires_grad=True)
    inputs = []
    for _ in range(depth):
        h.retain_grad()
        inputs.append(h)
        layer = nn.Linear(width, width)
        if start:
            start(layer.weight)
        h = torch.relu(layer(h))
    h.mean().backward()
    return [h.grad.norm().item() for h in inputs]


starts = {"default": None, "kaiming": nn.init.kaiming_normal_}
for name, start in starts.items():
    norms = gradient_norms(start)
    print(f"{name}: layer 0 / layer 29 = {norms[0] / norms[-1]:.1e}")
    plt.plot(norms, label=name)
plt.yscale("log")
plt.xlabel("layer")
plt.ylabel("gradient norm")
plt.legend()
plt.show()
