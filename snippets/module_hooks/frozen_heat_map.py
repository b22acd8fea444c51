import torch
from torch import nn

conv = nn.Conv2d(1, 2, 1, bias=False)
head = nn.Linear(2, 1, bias=False)
conv.weight.data.fill_(1.0)
head.weight.data.copy_(torch.tensor([[1.0, 3.0]]))
net = nn.Sequential(conv, nn.AdaptiveAvgPool2d(1), nn.Flatten(), head)
net.requires_grad_(False).eval()
kept = {}
conv.register_forward_hook(lambda m, args, output: kept.update(maps=output))

image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
try:
    net(image).sum().backward()
except RuntimeError as error:
    print(error)

score = net(image.requires_grad_()).sum()
(grad,) = torch.autograd.grad(score, kept["maps"])
print("gradient per pixel:", grad[0, :, 0, 0].tolist())
weights = grad.sum((2, 3), keepdim=True)
print("heat map:", (weights * kept["maps"]).sum(1).tolist())
print("conv.weight.grad:", conv.weight.grad)
