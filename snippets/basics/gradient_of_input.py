import torch
from torch import nn

layer = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[3.0, 5.0]]))
image = torch.ones(1, 2)

layer(image).sum().backward()
print("plain, image.grad:", image.grad)

image.requires_grad_()
layer(image).sum().backward()
print("after requires_grad_(), image.grad:", image.grad)

with torch.no_grad():
    caller = image.detach().requires_grad_()
    with torch.enable_grad():
        layer(caller).sum().backward()
print("inside no_grad, with enable_grad, caller.grad:", caller.grad)
