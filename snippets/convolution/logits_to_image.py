import torch
import torch.nn.functional as F
from torch import nn

conv = nn.Conv2d(1, 4, 1, bias=False)
nn.init.ones_(conv.weight)
pool = nn.AdaptiveAvgPool2d(1)
image = torch.ones(1, 1, 5, 5, requires_grad=True)

maps = conv(image)
maps.retain_grad()
logits = pool(maps).flatten(1)
change = torch.tensor([[0.0, 0.0, 2.0, 0.0]])
logits.register_hook(lambda grad: print("at the logits:", grad[0]))
logits.register_hook(lambda grad: grad + change)
logits.register_hook(lambda grad: print("after the hook:", grad[0]))

loss = F.cross_entropy(logits, torch.tensor([2]))
print("logits:", logits.detach()[0])
print("loss:", loss.detach())
loss.backward()
print("one pixel, 4 channels:", maps.grad[0, :, 0, 0])
print("weight.grad:", conv.weight.grad.flatten())
print("one pixel of the image:", image.grad[0, 0, 0, 0])
for grad in (maps.grad, image.grad):
    print("all pixels alike:", torch.allclose(grad, grad[..., :1, :1]))
