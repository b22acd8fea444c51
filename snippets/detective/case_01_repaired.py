import torch
from torch import nn

torch.manual_seed(0)
temperature = torch.linspace(-1, 1, 20).unsqueeze(1)
sales = 3 * temperature + 1
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step in range(60):
    optimizer.zero_grad()
    loss = ((model(temperature) - sales) ** 2).mean()
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"step {step + 1}, loss: {loss.item():.3f}")
