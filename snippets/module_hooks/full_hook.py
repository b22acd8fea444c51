import torch
from torch import nn


class Product(nn.Module):
    def forward(self, a, b):
        return a * b


def report(module, grad_input, grad_output):
    print("grad_output:", grad_output)
    print("grad_input:", grad_input)


product = Product()
product.register_full_backward_hook(report)
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
loss = 10 * product(a, b)
loss.backward()
print("a.grad:", a.grad)
print("b.grad:", b.grad)
