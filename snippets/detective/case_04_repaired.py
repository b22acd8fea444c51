import torch
from torch import nn

torch.manual_seed(0)
size = torch.rand(32, 1)
price, rooms = 2 * size + 1, 3 * size
trunk, price_head, rooms_head = nn.Linear(1, 8), nn.Linear(8, 1), nn.Linear(8, 1)
parameters = [*trunk.parameters(), *price_head.parameters(), *rooms_head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.05)

for _ in range(200):
    features = torch.tanh(trunk(size))
    price_loss = ((price_head(features) - price) ** 2).mean()
    rooms_loss = ((rooms_head(features) - rooms) ** 2).mean()
    loss = price_loss + rooms_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"price: {price_loss.item():.2f}, rooms: {rooms_loss.item():.2f}")
