import torch
import torch.nn.functional as F

w = torch.tensor([[[[3.0]]]])
x = torch.ones(1, 1, 1, 2, requires_grad=True)
y = F.conv_transpose2d(x, w, stride=2)
print("y:", y.detach().flatten())
g = torch.tensor([[[[1.5, 20.0, 0.5]]]])
y.backward(g)
print("x.grad:", x.grad.flatten())
print("F.conv2d(g, w, stride=2):", F.conv2d(g, w, stride=2).flatten())
