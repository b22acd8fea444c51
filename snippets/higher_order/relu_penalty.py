import torch
from torch.nn import functional as F

x = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)

y = v * F.relu(w * x + b)
(g,) = torch.autograd.grad(y, x, create_graph=True)
print("g:", g.item())
penalty = (g - 1) ** 2
print("penalty:", penalty.item())
penalty.backward()
print("w.grad:", w.grad.item())
print("v.grad:", v.grad.item())
print("b.grad:", b.grad.item())
print("x.grad:", x.grad.item())
