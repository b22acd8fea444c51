import torch
from torch.autograd.function import once_differentiable


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad_output


class Twice(Once):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad_output


w = torch.tensor(2.0, requires_grad=True)
for function in (Once, Twice):
    loss = function.apply(w) ** 2
    (slope,) = torch.autograd.grad(loss, w, create_graph=True)
    w.grad = None
    try:
        slope.backward()
        print(f"{function.__name__}, w.grad:", w.grad)
    except RuntimeError as error:
        print(f"{function.__name__}:", error)
