import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.ModuleList([nn.Linear(1, 16), nn.Linear(16, 16), nn.Linear(16, 4)])
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.head(x)


torch.manual_seed(0)
x = torch.linspace(-2, 2, 40).unsqueeze(1)
y = torch.sin(3 * x)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for _ in range(500):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"loss: {loss.item():.3f}")
print("parameters:", sum(p.numel() for p in model.parameters()))
