import torch
from torch import nn

torch.manual_seed(0)
distance = torch.rand(50, 1) * 2
fare = (3 * distance + 2).squeeze()
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(500):
    prediction = model(distance)
    loss = ((prediction - fare) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"loss: {loss.item():.2f}, average fare: {fare.mean().item():.2f}")
for kilometers in (0.5, 1.0, 1.5):
    answer = model(torch.tensor([[kilometers]])).item()
    print(f"{kilometers} km, answer: {answer:.2f}, right: {3 * kilometers + 2}")
