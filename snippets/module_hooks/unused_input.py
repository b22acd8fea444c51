import torch
from torch import nn


class Product(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(2.0))

    def forward(self, a, unused):
        return self.w * a


def run(name, a_needs, hook):
    product = Product()
    if hook:
        product.register_full_backward_hook(lambda m, i, o: print("  grad_input:", i))
    a = torch.tensor(3.0, requires_grad=a_needs)
    b = torch.tensor(5.0, requires_grad=True)
    print(name)
    product(a, b).backward()
    print(f"  b.grad: {b.grad}, w.grad: {product.w.grad}")


run("no hook", True, False)
run("a hook", True, True)
run("a hook, only b requires a gradient", False, True)
