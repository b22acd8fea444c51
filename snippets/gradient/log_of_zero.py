import torch
from torch import nn

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
x = torch.tensor(rows).float()
y = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])
for loss_by in ("log", "cross_entropy"):
    torch.manual_seed(0)
    first, last = nn.Linear(16, 8), nn.Linear(8, 3)
    model = nn.Sequential(first, nn.ReLU(), last)
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    for step in range(6):
        p = torch.softmax(model(x), 1)[range(9), y]
        loss = -torch.log(p).mean()
        if loss_by == "cross_entropy":
            loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (0, 1, 5):
            print(f"{loss_by}, step {step}, loss: {loss:.2g}")
            print(f"grad: {first.weight.grad.norm():.2g}")
