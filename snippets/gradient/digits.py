import torch
from torch import nn
from torch.nn import functional as F

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
x = torch.tensor(rows, dtype=torch.float64) / 9
digits = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])

torch.manual_seed(0)
layers = [nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 3)]
model = nn.Sequential(*layers).double()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(21):
    for batch in torch.randperm(9).split(3):
        loss = F.cross_entropy(model(x[batch]), digits[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        with torch.no_grad():
            scores = model(x)
        right = (scores.argmax(1) == digits).sum().item()
        mean = F.cross_entropy(scores, digits).item()
        print(f"epoch {epoch}, loss {mean:.3f}, right {right} of 9")
