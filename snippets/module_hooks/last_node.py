import torch
from torch import nn

f1 = nn.Linear(4, 1)
nn.init.constant_(f1.weight, 8.0)
nn.init.constant_(f1.bias, 2.0)
x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True) / 4


def show(label, y):
    y.grad_fn.register_hook(lambda grads, _: print("  inputs of the node:", grads))
    print(label, y.item())
    print("  last node:", y.grad_fn.name())
    y.backward(retain_graph=True)


show("f1(x):", f1(x))
show("x @ f1.weight.t() + f1.bias:", x @ f1.weight.t() + f1.bias)
