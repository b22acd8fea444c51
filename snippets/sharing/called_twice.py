import torch
from torch import nn

torch.manual_seed(0)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.coef = nn.Parameter(torch.randn(1, 1, 40, 40))

    def forward(self, x):
        return self.coef * x


def report(module, grad_input, grad_output):
    print("hook, mean of grad_output:", grad_output[0].mean())


net = Scale()
net.register_full_backward_hook(report)
x = torch.ones(1, 1, 40, 40, requires_grad=True)
a = net(x)
b = net(x)
(a + 2 * b).mean().backward()
print("mean of coef.grad:", net.coef.grad.mean())
print("float32 holds less than 2/1600:", torch.tensor(2 / 1600).item() < 2 / 1600)
