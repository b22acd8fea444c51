import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.coef = nn.Parameter(torch.ones(1, 1, 40, 40))

    def forward(self, x):
        return self.coef * x


net = Scale()
net.register_full_backward_hook(
    lambda module, grad_input, grad_output: print("hook:", grad_output[0].mean())
)
x = torch.ones(1, 1, 40, 40, requires_grad=True)

b = net(x)
a = net(x)
(a + 2 * b).mean().backward()
