import warnings

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f1 = nn.Linear(4, 1)
        nn.init.constant_(self.f1.weight, 8.0)
        nn.init.constant_(self.f1.bias, 2.0)

    def forward(self, x):
        return self.f1(x / 4)


def report(module, grad_input, grad_output):
    for grad in grad_input:
        print("in grad_input:", grad.flatten())


warnings.simplefilter("ignore")
net = Net()
net.register_backward_hook(report)
x = torch.tensor([[1.0, 2.0, 3.0, 4.0]], requires_grad=True)
result = net(x)
print("last node:", result.grad_fn.name())
result.backward()
