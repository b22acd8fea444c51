import torch
from torch.func import grad, jvp


def f(w):
    return w[0] ** 2 * w[1] + w[1] ** 3


v = torch.tensor([1.0, -1.0])

w = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad(f(w), w, create_graph=True)
(product,) = torch.autograd.grad(g @ v, w)
print("gradient:", g.detach())
print("twice backward:", product)

_, product = jvp(grad(f), (w.detach(),), (v,))
print("forward over backward:", product)

hessian = torch.func.hessian(f)(w.detach())
print("whole matrix times v:", hessian @ v)
