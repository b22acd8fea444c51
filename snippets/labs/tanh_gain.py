import torch
from torch import nn

torch.set_default_dtype(torch.float64)
for scale in (1.0, nn.init.calculate_gain("tanh")):
    torch.manual_seed(0)
    h = torch.randn(256, 64, requires_grad=True)
    norms = {}
    for number in range(30):
        h.register_hook(lambda grad, n=number, norms=norms: norms.update({n: grad.norm().item()}))
        h = torch.tanh(h @ torch.randn(64, 64) * (scale / 64**0.5))
    (h * torch.randn(256, 64)).sum().backward()
    print(f"scale {scale:.3f}: layer 0 / layer 29 = {norms[0] / norms[29]:.1e}")
    print(f"  outputs beyond 0.9: {(h.abs() > 0.9).double().mean():.0%}")
