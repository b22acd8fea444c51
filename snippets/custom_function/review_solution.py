import torch
from torch.autograd import gradcheck, gradgradcheck


class TimesSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, w):
        ctx.save_for_backward(v, w)
        return v * w**2

    @staticmethod
    def backward(ctx, grad_y):
        v, w = ctx.saved_tensors
        return grad_y * w**2, grad_y * v * 2 * w


a = torch.tensor([0.5, 3.0, 0.75], dtype=torch.float64)
b = torch.tensor([2.0, -0.25, 1.5], dtype=torch.float64)
point = (a.requires_grad_(), b.requires_grad_())
grad_y = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)
grad_y.requires_grad_()
print("gradcheck:", gradcheck(TimesSquare.apply, point))
twice = gradgradcheck(TimesSquare.apply, point, grad_y)
print("gradgradcheck:", twice)

v = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = TimesSquare.apply(v, w)
(slope,) = torch.autograd.grad(y, v, create_graph=True)
print("slope of y in v:", slope)
(5 * y).backward()
with torch.no_grad():
    w.add_(1)
print("v.grad:", v.grad)
print("w.grad:", w.grad)
