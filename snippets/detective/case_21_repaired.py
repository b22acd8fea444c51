import torch
from torch import nn

torch.manual_seed(0)
x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
label = torch.tensor([1, 0])
model = nn.Linear(2, 2, bias=False)
with torch.no_grad():
    model.weight.copy_(30 * torch.eye(2))
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

for step in range(200):
    log_shares = torch.log_softmax(model(x), dim=1)
    loss = -log_shares[[0, 1], label].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        print(f"step {step + 1}, loss: {loss.item():.2f}")
