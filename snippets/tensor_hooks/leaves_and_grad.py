import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = a * b

handle = register_multi_grad_hook((a, b), lambda grads: print("all:", grads))
try:
    torch.autograd.grad(y, (a, b), retain_graph=True)
except RuntimeError as error:
    print("RuntimeError:", str(error).split(". ")[0])
handle.remove()

register_multi_grad_hook((a, b), lambda grad: print("any:", grad), mode="any")
print("gradients:", torch.autograd.grad(y, (a, b)))
