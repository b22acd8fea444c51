import torch
from torch import nn

norm = nn.BatchNorm1d(1)
good = torch.tensor([[1.0], [3.0]])
bad = torch.tensor([[1.0], [float("inf")]])
norm(good)
print("good batch, running_mean:", norm.running_mean)
norm(bad)
print("bad batch, running_mean:", norm.running_mean)
norm(good)
print("good batch, running_mean:", norm.running_mean)
print("train():", norm(good).detach().flatten())
norm.eval()
print("eval():", norm(good).detach().flatten())
