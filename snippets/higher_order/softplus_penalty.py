import torch
from torch.nn import functional as F

x = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(-2.0, requires_grad=True)

for activation in (F.relu, F.softplus):
    y = 2 * activation(3 * x + b)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    penalty = (g - 1) ** 2
    (b_grad,) = torch.autograd.grad(penalty, b)
    print(f"{activation.__name__}:")
    print(f"  g: {g.item():.4f}")
    print(f"  gradient of the penalty at b: {b_grad.item():.4f}")
