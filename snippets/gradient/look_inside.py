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
first, last = nn.Linear(16, 8).double(), nn.Linear(8, 3).double()
hidden = first(x).tanh()
scores = last(hidden)
loss = F.cross_entropy(scores, digits)


def show(name):
    return lambda grad: print(f"{name}: {tuple(grad.shape)}, largest {grad.abs().max():.3f}")


scores.register_hook(show("scores"))
hidden.register_hook(show("hidden"))
loss.backward()
print("first weight:", tuple(first.weight.grad.shape))
