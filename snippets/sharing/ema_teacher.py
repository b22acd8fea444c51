import copy

import torch
from torch import nn

student = nn.Linear(1, 1, bias=False)
nn.init.constant_(student.weight, 4.0)
teacher = copy.deepcopy(student).requires_grad_(False)
optimizer = torch.optim.SGD(student.parameters(), lr=0.5)
x = torch.tensor([[1.0]])

for step in range(3):
    with torch.no_grad():
        goal = teacher(x)
    loss = (student(x) - goal / 2).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(teacher.parameters(), student.parameters(), strict=True):
            old.lerp_(new, 0.25)
    print(f"step {step + 1}: student {student.weight.item():g}, teacher {teacher.weight.item():g}")
print("teacher.grad:", teacher.weight.grad)
