import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 3)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        features = torch.tanh(self.encoder(x))
        self.features = features.detach()
        return self.head(features)


torch.manual_seed(1)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])

for step in range(400):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        print(f"step {step + 1}, loss: {loss.item():.3f}")

print("feature of the first point:", round(model.features[0, 0].item(), 2))
