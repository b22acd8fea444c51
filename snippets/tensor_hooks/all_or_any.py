import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(5.0, requires_grad=True)


def on_all(grads):
    print("all:", grads)


def on_any(grad):
    print("any:", grad)


register_multi_grad_hook((a, b, c), on_all)
register_multi_grad_hook((a, b, c), on_any, mode="any")
(a * b + 7 * c).backward()
