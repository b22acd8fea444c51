import torch
from torch.autograd import gradcheck


class TimesSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, w):
        ctx.w = w
        ctx.square = w * w
        return v * ctx.square

    @staticmethod
    def backward(ctx, grad_y):
        grad_v = grad_y * ctx.square
        grad_w = grad_y * 2 * ctx.w
        return grad_v, grad_w


a = torch.ones(1, dtype=torch.float64, requires_grad=True)
b = torch.ones(1, dtype=torch.float64, requires_grad=True)
print("gradcheck:", gradcheck(TimesSquare.apply, (a, b)))

v = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = TimesSquare.apply(v, w)
(slope,) = torch.autograd.grad(y, v, create_graph=True)
print("slope of y in v:", slope)
with torch.no_grad():
    w.add_(1)
(5 * y).backward()
print("v.grad:", v.grad)
print("w.grad:", w.grad)
