import warnings

import torch


def look(module, grad_input, grad_output):
    print("full hook, grad_output:", grad_output)


warnings.simplefilter("ignore")
layer = torch.nn.Linear(1, 1, bias=False)
handle = layer.register_backward_hook(look)
handle.remove()
try:
    layer.register_full_backward_hook(look)
except RuntimeError as error:
    print("after an old one:", error)

layer = torch.nn.Linear(1, 1, bias=False)
layer.register_full_backward_hook(look)
x = torch.tensor([3.0], requires_grad=True)
layer(x).sum().backward()
