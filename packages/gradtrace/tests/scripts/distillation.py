"""A small student learns from a frozen teacher: soft targets and hard ones."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(21)
TEMPERATURE, ALPHA = 3.0, 0.7

teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
student = nn.Sequential(nn.Linear(10, 12), nn.Tanh(), nn.Linear(12, 4))
x = torch.randn(64, 10)
labels = (x @ torch.randn(10, 4)).argmax(1)

trainer = torch.optim.Adam(teacher.parameters(), lr=1e-2)
for _ in range(2):
    trainer.zero_grad()
    F.cross_entropy(teacher(x), labels).backward()
    trainer.step()
teacher.eval().requires_grad_(False)
trainer.zero_grad()

optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(4):
    with torch.no_grad():
        soft = F.softmax(teacher(x) / TEMPERATURE, dim=1)
    logits = student(x)
    distilled = F.kl_div(F.log_softmax(logits / TEMPERATURE, dim=1), soft, reduction="batchmean")
    loss = ALPHA * TEMPERATURE**2 * distilled + (1 - ALPHA) * F.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}, distilled {distilled.item():.4f}")
    print("student.2.bias.grad", student[2].bias.grad)
    print("student.0.bias.grad", student[0].bias.grad)
    print("teacher:", {p.grad for p in teacher.parameters()})
