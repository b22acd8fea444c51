import torch


class Saved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**2

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 2 * w


class Attribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.w = w
        return w**2

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * 2 * ctx.w


for function in (Attribute, Saved):
    w = torch.tensor(2.0, requires_grad=True)
    y = function.apply(w)
    with torch.no_grad():
        w.add_(3.0)
    try:
        y.backward()
        print(function.__name__, "w.grad:", w.grad)
    except RuntimeError as error:
        print(function.__name__, "error:", error)
