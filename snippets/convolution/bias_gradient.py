import torch
import torch.nn.functional as F

x = torch.ones(2, 1, 3, 3)
kernel = torch.zeros(1, 1, 2, 2, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
y = F.conv2d(x, kernel, bias)
first = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
g = torch.stack([first, 10 * first])
y.backward(g)
print("bias.grad:", bias.grad)
print("sum of g:", g.sum())
print("kernel.grad:", kernel.grad.flatten())
