import torch
from torch import nn

layer = nn.Linear(1, 1)
nn.init.ones_(layer.weight)
x = torch.ones(1, 1, requires_grad=True)
handle = layer.register_full_backward_pre_hook(lambda module, grad_output: grad_output * 2)
try:
    layer(x).sum().backward()
except RuntimeError as error:
    print("the tuple twice:", error)

handle.remove()
layer.register_full_backward_pre_hook(lambda module, grad_output: (2 * grad_output[0],))
layer(x).sum().backward()
print("its gradient times 2, x.grad:", x.grad)
