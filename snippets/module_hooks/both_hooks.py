import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f1 = nn.Linear(4, 1)
        nn.init.constant_(self.f1.weight, 8.0)
        nn.init.constant_(self.f1.bias, 2.0)

    def forward(self, x):
        return self.f1(x / 4) / 4


def report(module, grad_input, grad_output):
    print("hook on", type(module).__name__)
    print("  grad_output:", grad_output[0])
    print("  grad_input:", grad_input[0])


net = Net()
net.register_full_backward_hook(report)
net.f1.register_full_backward_hook(report)
x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
net(x).backward()
print("x.grad:", x.grad)
