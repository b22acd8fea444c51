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


def train(model, answers):
    learning = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(learning, lr=0.5)
    for _ in range(50):
        loss = F.cross_entropy(model(x), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = (model(x).argmax(1) == answers).sum().item()
    print(f"numbers that learn: {sum(p.numel() for p in learning)}, right: {right} of 9")


torch.manual_seed(0)
first, last = nn.Linear(16, 8).double(), nn.Linear(8, 3).double()
train(nn.Sequential(first, nn.Tanh(), last), torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2]))

before = first.weight.clone()
first.requires_grad_(False)
is_ring = torch.tensor([1, 1, 1, 0, 0, 0, 0, 0, 0])
ring = nn.Linear(8, 2).double()
train(nn.Sequential(first, nn.Tanh(), ring), is_ring)
print("first layer moved by:", (first.weight - before).abs().max().item())

untrained = nn.Linear(16, 8).double().requires_grad_(False)
train(nn.Sequential(untrained, nn.Tanh(), nn.Linear(8, 2).double()), is_ring)
