import warnings

import torch


def change(module, grad_input, grad_output):
    return (torch.zeros(1),)


layer = torch.nn.Linear(1, 1, bias=False)
x = torch.tensor([3.0])
warnings.simplefilter("ignore")
layer.register_full_backward_hook(change)
try:
    layer(x).sum().backward()
except RuntimeError as error:
    print("returns one:", error)
layer(x.requires_grad_()).sum().backward()
print("x needs a gradient, x.grad:", x.grad)
