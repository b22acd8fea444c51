import torch
from torch import nn

torch.manual_seed(0)
size = torch.linspace(20, 200, 50).unsqueeze(1)
price = 0.02 * size + 1
size = (size - size.mean()) / size.std()
model = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(300):
    loss = ((model(size) - price) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

small, large = model(size[:1]).item(), model(size[-1:]).item()
print(f"loss: {loss.item():.3f}")
print(f"smallest: {small:.2f}, largest: {large:.2f}")
