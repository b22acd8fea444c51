import torch
from torch import nn

norm = nn.BatchNorm1d(1, momentum=0.5)
model = nn.Sequential(norm, nn.Linear(1, 1))
x = torch.tensor([[3.0], [5.0]])

norm.requires_grad_(False)
model.train()
model(x)
print("frozen, mean:", norm.running_mean)

norm.eval()
model(x)
print("in eval mode, mean:", norm.running_mean)

model.train()
model(x)
print("in train mode again, mean:", norm.running_mean)
