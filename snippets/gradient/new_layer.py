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
model = nn.Sequential(first, nn.ReLU(), last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
model[2] = nn.Linear(8, 3)
for name in ("old optimizer", "new optimizer"):
    if name == "new optimizer":
        parameters = model.parameters()
        optimizer = torch.optim.SGD(parameters, lr=0.5)
    before = model[2].weight.clone()
    loss = nn.functional.cross_entropy(model(x), y)
    model.zero_grad()
    loss.backward()
    optimizer.step()
    size = model[2].weight.grad.norm()
    moved = (model[2].weight - before).norm()
    print(f"{name}, grad: {size:.2f}, moved: {moved:.2f}")
