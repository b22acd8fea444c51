import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(16, 2)
y = x[:, 0] - x[:, 1]
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

for step in range(100):
    errors = []
    for sample, target in zip(x, y, strict=True):
        error = (model(sample) - target) ** 2
        errors.append(error)
    loss = torch.stack(errors).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 24:
        print(f"step {step + 1}, loss: {loss.item():.3f}")
