import torch
from torch.autograd.function import once_differentiable


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 3 * w**2


class Once(Cube):
    backward = staticmethod(once_differentiable(Cube.backward))


for function in (Cube, Once):
    w = torch.tensor(2.0, requires_grad=True)
    y = function.apply(w)
    (slope,) = torch.autograd.grad(y, w, create_graph=True)
    print(function.__name__, "slope:", slope)
    loss = y + slope**2
    loss.backward()
    print(function.__name__, "w.grad:", w.grad)
