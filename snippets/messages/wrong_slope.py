import torch
from torch.autograd import gradcheck


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return x * grad_output


class Right(Wrong):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
try:
    gradcheck(Wrong.apply, x)
except RuntimeError as error:
    print("x:", " ".join(str(error).split()))
print("2 * x, passed:", gradcheck(Right.apply, x))
