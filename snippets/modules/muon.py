import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
try:
    torch.optim.Muon(net.parameters(), lr=0.1)
except ValueError as error:
    print("ValueError:", error)

hidden = [net[0].weight]
others = [net[0].bias, net[2].weight, net[2].bias]
muon = torch.optim.Muon(hidden, lr=0.1)
adamw = torch.optim.AdamW(others, lr=0.001)
before = [p.detach().clone() for p in net.parameters()]

loss = net(torch.ones(1, 3)).sum()
loss.backward()
muon.step()
adamw.step()
named = list(net.named_parameters())
for i, (name, p) in enumerate(named):
    print(name, "moved:", not torch.equal(p, before[i]))
