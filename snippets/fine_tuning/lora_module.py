import torch
import torch.nn.functional as F
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, r, alpha):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.randn(r, base.in_features) / base.in_features**0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + self.scale * F.linear(F.linear(x, self.A), self.B)

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.scale * (self.B @ self.A)
        return self.base


torch.manual_seed(0)
x = torch.randn(32, 64)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
model.requires_grad_(False)
before = model(x)
model[0] = LoRALinear(model[0], r=2, alpha=4)
model[2] = LoRALinear(model[2], r=2, alpha=4)
adapters = [p for p in model.parameters() if p.requires_grad]
print("before training, same as the base:", torch.allclose(model(x), before))
print("trained:", sum(p.numel() for p in adapters))
print("frozen:", sum(p.numel() for p in model.parameters() if not p.requires_grad))

optimizer = torch.optim.AdamW(adapters, lr=0.01)
for _ in range(20):
    optimizer.zero_grad()
    (model(x) ** 2).mean().backward()
    optimizer.step()
adapted = model(x)
merged = nn.Sequential(model[0].merge(), model[1], model[2].merge())
print("merged, same up to rounding:", torch.allclose(merged(x), adapted, atol=1e-5))
