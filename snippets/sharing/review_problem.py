import copy

import torch
from torch import nn

left = nn.Linear(1, 1, bias=False)
nn.init.constant_(left.weight, 2.0)
right = copy.deepcopy(left)
params = [*left.parameters(), *right.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
x1, x2 = torch.tensor([[1.0]]), torch.tensor([[3.0]])

loss = ((left(x1) - right(x2)) ** 2).sum()
loss.backward()
optimizer.step()
print("left, gradient:", left.weight.grad.item())
print("right, gradient:", right.weight.grad.item())
print("left, after step:", round(left.weight.item(), 4))
print("right, after step:", round(right.weight.item(), 4))
