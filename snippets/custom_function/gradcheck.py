import torch
from torch.autograd import gradcheck


class Right(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 3 * w**2


class Forgot(Right):
    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return 3 * w**2


w = torch.tensor(2.0, requires_grad=True)
(5 * Right.apply(w)).backward()
print("right, w.grad:", w.grad)
w.grad = None
(5 * Forgot.apply(w)).backward()
print("forgot grad_y, w.grad:", w.grad)

w64 = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
print("right:", gradcheck(Right.apply, w64))
quiet = {"raise_exception": False}
print("forgot grad_y:", gradcheck(Forgot.apply, w64, **quiet))
