import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()

y1 = 2 * w + 1
loss2 = mse(2 * y1, torch.tensor(0.0))
loss3 = mse(-y1, torch.tensor(0.0))

(g2,) = torch.autograd.grad(loss2, w, retain_graph=True)
(g3,) = torch.autograd.grad(loss3, w)
print("gradient of loss2 alone:", g2)
print("gradient of loss3 alone:", g3)
print("sum of the gradients:", g2 + g3)
