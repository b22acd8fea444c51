import warnings

import torch
from torch import nn


class Product(nn.Module):
    def forward(self, x, y, z):
        return (x * y) * z


def report(module, grad_input, grad_output):
    print("  grad_input:", grad_input)


warnings.simplefilter("ignore")
x, y, z = torch.tensor([2.0, 3.0, 5.0], requires_grad=True)
for register in ("register_backward_hook", "register_full_backward_hook"):
    product = Product()
    getattr(product, register)(report)
    print(register)
    product(x, y, z).backward(retain_graph=True)
