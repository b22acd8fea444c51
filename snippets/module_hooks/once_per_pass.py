import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)


def report(module, grad_input, grad_output):
    print("hook, grad_output:", grad_output[0].item())


layer.register_full_backward_hook(report)
x = torch.tensor([1.0], requires_grad=True)
u = layer(x)
loss = u**2

print("backward pass for the gradient")
(grad,) = torch.autograd.grad(loss, x, create_graph=True)
penalty = grad**2

print("backward pass for the penalty")
penalty.backward()
print("x.grad:", x.grad.item())
