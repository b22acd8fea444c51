import torch
from torch import nn

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
x = torch.tensor(rows) / 9
y = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])
torch.manual_seed(0)
first, last = nn.Linear(16, 8), nn.Linear(8, 3)
model = nn.Sequential(first, nn.ReLU(), nn.Dropout(0.5), last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(100):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for mode in (True, True, False, False):
    model.train(mode)
    loss = nn.functional.cross_entropy(model(x), y)
    print(f"training {model.training}, loss: {loss:.2f}")
