import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-3, 3, 40).unsqueeze(1)
y = torch.sin(2 * x)
encoder = nn.Sequential(nn.Linear(1, 4), nn.Tanh())
head = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.05)

for step in range(600):
    loss = ((head(encoder(x)) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 200 == 199:
        print(f"step {step + 1}, loss: {loss.item():.3f}")

print("encoder has a gradient:", encoder[0].weight.grad is not None)
