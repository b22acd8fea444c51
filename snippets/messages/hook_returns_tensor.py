import torch
from torch import nn

layer = nn.Linear(2, 1)
nn.init.ones_(layer.weight)
x = torch.ones(3, 2, requires_grad=True)
handle = layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: 2 * grad_input[0]
)
try:
    layer(x).sum().backward()
except RuntimeError as error:
    print("a tensor:", error)

handle.remove()
layer.register_full_backward_hook(lambda module, grad_input, grad_output: (2 * grad_input[0],))
layer(x).sum().backward()
print("a tuple, x.grad:", x.grad.tolist())
