import torch
from torch.autograd.function import once_differentiable


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 3 * w**2


w = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(Cube.apply(w), w, create_graph=True)
print("Cube(w), g:", g.item(), "requires_grad:", g.requires_grad)
(w + (g - 1) ** 2).backward()
print("w.grad:", w.grad.item())

y = Cube.apply(w) ** 2
(g,) = torch.autograd.grad(y, w, create_graph=True)
print("Cube(w)**2, g:", g.item())
try:
    g.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
