import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.coef = nn.Parameter(torch.randn(1, 1, 40, 40))

    def forward(self, x):
        return self.coef * x


def report(module, grad_input, grad_output):
    print("module hook, mean of grad_input:", grad_input[0].mean())


net = Scale()
net.register_full_backward_hook(report)
x = torch.ones(1, 1, 40, 40, requires_grad=True)
x.register_hook(lambda grad: print("tensor hook on x, mean of grad:", grad.mean()))
(net(x) + 2 * net(x)).mean().backward()
