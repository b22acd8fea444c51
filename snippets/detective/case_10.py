import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-1, 1, 64).unsqueeze(1)
y = 3 * x + 1
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.7)

for epoch in range(9):
    for batch in torch.randperm(64).split(8):
        loss = ((model(x[batch]) - y[batch]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    if epoch % 3 == 2:
        loss = ((model(x) - y) ** 2).mean()
        print(f"epoch {epoch + 1}, loss: {loss.item():.3f}")
