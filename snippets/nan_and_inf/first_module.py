import torch
from torch import nn


class Log(nn.Module):
    def forward(self, x):
        return torch.log(x)


layers = [nn.Linear(2, 2), nn.ReLU(), Log(), nn.LayerNorm(2)]
model = nn.Sequential(*layers)
nn.init.eye_(model[0].weight)
nn.init.zeros_(model[0].bias)


def look(module, args, output):
    label = type(module).__name__
    good = output.isfinite().all().item()
    print(f"{label}: {output.tolist()}")
    print("  finite:", good)


for module in model.children():
    module.register_forward_hook(look)
loss = model(torch.tensor([[1.0, -2.0]])).sum()
print("loss:", loss.item())
