import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
teacher, student = nn.Linear(3, 1, bias=False), nn.Linear(3, 1, bias=False)
with torch.no_grad():
    teacher.weight.copy_(torch.tensor([[1.0, 2.0, 3.0]]))
nets = nn.ModuleDict({"teacher": teacher, "student": student})
optimizer = torch.optim.SGD(nets.parameters(), lr=0.1)

for _ in range(200):
    loss = ((student(x) - teacher(x)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"student against teacher: {loss.item():.3f}")
print(f"student against the truth: {((student(x) - y) ** 2).mean().item():.3f}")
print(f"teacher against the truth: {((teacher(x) - y) ** 2).mean().item():.3f}")
