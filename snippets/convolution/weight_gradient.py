import torch
import torch.nn.functional as F
from torch.nn.grad import conv2d_weight

torch.set_default_dtype(torch.float64)
rows = [[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3], [4, 5, 6, 7]]
x = torch.tensor(rows).view(1, 1, 4, 4)
g = torch.tensor([[[[1.0, 10.0], [100.0, 1000.0]]]])
kernel = torch.zeros(1, 1, 3, 3, requires_grad=True)


def f(kernel):
    return (F.conv2d(x, kernel, stride=2, padding=1) * g).sum()


f(kernel).backward()
print("x:")
print(x[0, 0].long())
print("gradient of the output:")
print(g[0, 0].long())
print("kernel.grad:")
print(kernel.grad[0, 0].long())
direct = conv2d_weight(x, kernel.shape, g, stride=2, padding=1)
print("conv2d_weight, equal:", direct.equal(kernel.grad))
slid = F.conv2d(x, g, dilation=2, padding=1)
print("x correlated with g, size:", slid.shape[-1])
print("cropped to 3, equal:", slid[..., :3, :3].equal(kernel.grad))

steps = torch.eye(9).view(9, 1, 1, 3, 3)
with torch.no_grad():
    slopes = [(f(kernel + h) - f(kernel - h)) / 2 for h in steps]
slopes = torch.stack(slopes).view(1, 1, 3, 3)
print("finite differences, equal:", slopes.equal(kernel.grad))
