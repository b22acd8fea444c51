import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = a * b


def on_any(grad):
    print("any:", grad)


handle = register_multi_grad_hook((a, b), print)
try:
    torch.autograd.grad(y, (a, b), retain_graph=True)
except RuntimeError as error:
    print("RuntimeError:", str(error).split(". ")[0])
handle.remove()

register_multi_grad_hook((a, b), on_any, mode="any")
print("gradients:", torch.autograd.grad(y, (a, b)))
