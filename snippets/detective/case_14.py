import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = torch.sin(x[:, :1] * 2) * x[:, 1:2]
adapter = nn.Linear(4, 4)
large = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 4), nn.Tanh())
large.requires_grad_(False)
head = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*adapter.parameters(), *head.parameters()], lr=0.05)

for _ in range(600):
    with torch.no_grad():
        features = large(adapter(x))
    loss = ((head(features) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"loss: {loss.item():.3f}")
print("adapter has a gradient:", adapter.weight.grad is not None)
