import torch
import torch.nn.functional as F

x = torch.zeros(1, 4, 4, requires_grad=True)
F.max_pool2d(x, 2).sum().backward()
print("max pooling:")
print(x.grad[0])
x.grad = None
F.avg_pool2d(x, 2).sum().backward()
print("average pooling:")
print(x.grad[0])
