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

hidden = torch.relu(first(x)).detach()
loss = nn.functional.cross_entropy(last(hidden), y)
loss.backward()
print("with detach(), first.weight.grad:", first.weight.grad)
size = last.weight.grad.norm()
print(f"last.weight.grad, norm: {size:.2f}")

hidden = torch.relu(first(x))
loss = nn.functional.cross_entropy(last(hidden), y)
loss.backward()
size = first.weight.grad.norm()
print(f"without, first.weight.grad, norm: {size:.2f}")
