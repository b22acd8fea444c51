import torch
import torch.nn.functional as F
from torch import nn

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
small = torch.tensor(rows, dtype=torch.float64).view(9, 4, 4)
digits = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])


def place(which, row, column):
    image = torch.zeros(1, 8, 8, dtype=torch.float64)
    image[0, row : row + 4, column : column + 4] = small[which] / 9
    return image


torch.manual_seed(1)
first = nn.Conv2d(1, 16, 3, padding=1, bias=False)
second = nn.Conv2d(16, 16, 3, padding=1, bias=False)
convs = nn.Sequential(first, nn.ReLU(), second, nn.ReLU()).double()
head = nn.Linear(16, 3).double()
parameters = [*convs.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.02)
for _ in range(100):
    places = torch.randint(5, (9, 2)).tolist()
    x = torch.stack([place(n, *at) for n, at in enumerate(places)])
    logits = head(convs(x).mean(dim=(2, 3)))
    optimizer.zero_grad()
    F.cross_entropy(logits, digits).backward()
    optimizer.step()
right = (logits.argmax(1) == digits).sum().item()
print("last batch, right:", right, "of 9")

image = place(1, 0, 0) + place(8, 4, 4)
print("a 0 and a 2:", (9 * image[0]).round().long())
for digit in (0, 2):
    maps = convs(image[None])
    maps.retain_grad()
    scores = head(maps.mean(dim=(2, 3)))[0]
    scores[digit].backward()
    weights = maps.grad.mean(dim=(2, 3), keepdim=True)
    heat = F.relu((weights * maps).sum(dim=1))[0]
    print(f"score of {digit}: {scores[digit]:.1f}, its heat map in percent:")
    print((100 * heat / heat.max()).round().long())
print(f"score of 1: {scores[1]:.1f}")
