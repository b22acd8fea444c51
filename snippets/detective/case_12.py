import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(90, 2)
label = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
model[2] = nn.Linear(8, 3)
head_before = model[2].weight.detach().clone()

for _ in range(200):
    loss = nn.functional.cross_entropy(model(x), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

moved = (model[2].weight - head_before).abs().max()
print(f"loss: {loss.item():.3f}")
print(f"head moved: {moved.item():.2f}")
