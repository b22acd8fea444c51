import torch
import torch.nn.functional as F

for size in (1, 2, 3):
    x = torch.zeros(1, 1, 5, 5, requires_grad=True)
    kernel = torch.ones(1, 1, size, size)
    F.conv2d(x, kernel, stride=2).sum().backward()
    print("kernel size:", size)
    print("x.grad:")
    print(x.grad[0, 0])
