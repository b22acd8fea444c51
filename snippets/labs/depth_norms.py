import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
x = torch.randn(256, 64, generator=torch.Generator().manual_seed(1))


def gradient_norms(scale):
    def keep(layer, grad_input, grad_output):
        norms[layer] = grad_output[0].norm().item()

    torch.manual_seed(0)
    layers = nn.Sequential(*(nn.Linear(64, 64, bias=False) for _ in range(30)))
    norms = {}
    for layer in layers:
        nn.init.normal_(layer.weight, std=scale / 64**0.5)
        layer.register_full_backward_hook(keep)
    layers(x.clone().requires_grad_()).mean().backward()
    return [norms[layer] for layer in layers]


for scale in (0.5, 1.0, 2.0):
    norms = gradient_norms(scale)
    ratio = norms[0] / norms[-1]
    print(f"scale {scale}: layer 0 / layer 29 = {ratio:.1e}, per layer {ratio ** (1 / 29):.2f}")
    plt.plot(norms, label=f"{scale}")
plt.yscale("log")
plt.xlabel("layer")
plt.ylabel("gradient norm")
plt.legend(title="scale")
plt.show()
