import torch
from torch.autograd import gradcheck


class Neighbors(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x[:-1] * x[1:]

    @staticmethod
    def backward(ctx, grad_y):
        (x,) = ctx.saved_tensors
        grad_x = torch.zeros_like(x)
        grad_x[:-1] = grad_y * x[1:]
        grad_x[1:] = grad_y * x[:-1]
        return grad_x


x = torch.tensor([2.0, 3.0, 5.0], dtype=torch.float64)
x.requires_grad_()
print("y:", Neighbors.apply(x).tolist())
try:
    gradcheck(Neighbors.apply, x)
except RuntimeError as error:
    print(type(error).__name__, "says:", error)
