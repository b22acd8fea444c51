import torch
import torch.nn.functional as F

pixel = torch.zeros(4, 4)
pixel[1, 1] = 1
kernel = torch.arange(1.0, 10.0).view(3, 3)
g = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])

x = pixel[None, None].clone().requires_grad_()
y = F.conv2d(x, kernel[None, None], stride=2, padding=1)
y.backward(g[None, None])
tie = y.detach()[0, 0]

print("one input pixel:")
print(pixel)
print("kernel:")
print(kernel)
print("its weight in each output pixel:")
print(tie)
print("gradient of the output:")
print(g)
print("weight times gradient:")
print(tie * g)
print("their sum:", (tie * g).sum())
print("x.grad at the pixel:", x.grad[0, 0, 1, 1])
