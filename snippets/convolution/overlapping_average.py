import torch
import torch.nn.functional as F

maps = torch.ones(1, 4, 4, requires_grad=True)
F.avg_pool2d(maps, kernel_size=3, stride=1).sum().backward()
print("maps.grad * 9:")
print(maps.grad[0] * 9)
