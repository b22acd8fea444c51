"""A script with four faults."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
net[0].bias.requires_grad_(False)
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])
print("training")
for _ in range(4):
    loss = nn.functional.mse_loss(net(torch.randn(8, 3)), torch.randn(8))
    loss.backward()
    optimizer.step()
loss.backward()
