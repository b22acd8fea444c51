import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(128, 2) * 20 + 100
y = x[:, :1] / 20 - 5
model = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def validate():
    model.eval()
    with torch.no_grad():
        return ((model(x) - y) ** 2).mean().item()


print(f"before: {validate():.2f}")
model.train()
for _ in range(100):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

print(f"after: {validate():.2f}")
print("mean that BatchNorm knows:", [round(m) for m in model[0].running_mean.tolist()])
