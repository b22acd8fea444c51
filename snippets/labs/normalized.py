import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
depth, width = 30, 64


def gradient_norms(scale, norm):
    torch.manual_seed(0)
    h = torch.randn(256, width, requires_grad=True)
    inputs = []
    for _ in range(depth):
        h.retain_grad()
        inputs.append(h)
        h = torch.relu(norm(h @ torch.randn(width, width) * (scale / width**0.5)))
    (h * torch.randn(256, width)).sum().backward()
    return [h.grad.norm().item() for h in inputs]


layer_norm = nn.LayerNorm(width, elementwise_affine=False, eps=0)
for name, norm in (("plain", nn.Identity()), ("LayerNorm", layer_norm)):
    for scale in (0.5, 2.0):
        norms = gradient_norms(scale, norm)
        print(f"{name}, scale {scale}: layer 0 / layer 29 = {norms[0] / norms[-1]:.1e}")
        plt.plot(norms, label=f"{name}, scale {scale}")
plt.yscale("log")
plt.xlabel("layer")
plt.ylabel("gradient norm")
plt.legend()
plt.show()
