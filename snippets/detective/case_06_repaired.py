import torch
from torch import nn

torch.manual_seed(0)
centers = torch.tensor([[4.0, 0.0], [-4.0, 0.0], [0.0, 4.0]])
label = torch.arange(60) % 3
x = centers[label] + torch.randn(60, 2) * 0.5
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

for step in range(300):
    loss = nn.functional.cross_entropy(model(x), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        print(f"step {step + 1}, loss: {loss.item():.3f}")

right = (model(x).argmax(dim=1) == label).float().mean()
print(f"right: {right.item():.2f}")
