import torch
from torch import nn

torch.set_default_dtype(torch.float64)
for scale in (1.0, nn.init.calculate_gain("tanh")):
    torch.manual_seed(0)
    h = torch.randn(256, 64, requires_grad=True)
    inputs = []
    for _ in range(30):
        h.retain_grad()
        inputs.append(h)
        h = torch.tanh(h @ torch.randn(64, 64) * (scale / 64**0.5))
    (h * torch.randn(256, 64)).sum().backward()
    ratio = inputs[0].grad.norm() / inputs[29].grad.norm()
    print(f"scale {scale:.3f}: layer 0 / layer 29 = {ratio:.1e}")
    print(f"  outputs beyond 0.9: {(h.abs() > 0.9).double().mean():.0%}")
