import torch
import torch.nn.functional as F
from torch import nn

conv = nn.Conv2d(1, 4, 1, bias=False)
nn.init.ones_(conv.weight)
pool = nn.AdaptiveAvgPool2d(1)
image = torch.ones(1, 1, 5, 5, requires_grad=True)
change = torch.tensor([[0.0, 0.0, 2.0, 0.0]])


def add_change(grad):
    print("at the logits:", grad[0])
    print("after the hook:", (grad + change)[0])
    return grad + change


maps = conv(image)
maps.retain_grad()
logits = pool(maps).flatten(1)
logits.register_hook(add_change)
loss = F.cross_entropy(logits, torch.tensor([2]))
print("logits:", logits.detach()[0])
print("loss:", loss.detach())

loss.backward()
print("one pixel, 4 channels:", maps.grad[0, :, 0, 0])
print("weight.grad:", conv.weight.grad.flatten())
pixel = image.grad[0, 0, 0, 0]
print("one pixel of the image:", pixel)
alike = torch.allclose(image.grad, pixel)
print("all pixels of the image alike:", alike)
