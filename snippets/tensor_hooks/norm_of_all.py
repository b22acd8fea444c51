import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)


def norm(grads):
    print("norm of both:", torch.stack(grads).norm().item())
    return [0 * grad for grad in grads]


register_multi_grad_hook((a, b), norm)
(3 * a + 4 * b).backward()
print("a.grad:", a.grad)
print("b.grad:", b.grad)
