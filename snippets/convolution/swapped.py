import torch
import torch.nn.functional as F

x = torch.arange(1.0, 12.0).view(1, 1, 11)
kernel = torch.zeros(1, 1, 3, requires_grad=True)
y = F.conv1d(x, kernel, stride=3, dilation=2)
g = torch.tensor([[[1.0, 10.0, 100.0]]])
y.backward(g)
print("kernel.grad:", kernel.grad[0, 0])
same = F.conv1d(x, g, stride=3, dilation=2)
print("same roles:", same[0, 0])
swapped = F.conv1d(x, g, stride=2, dilation=3)
print("swapped roles:", swapped[0, 0])
