import torch


class Attribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.w = w
        return w**2

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * 2 * ctx.w


class Saved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**2

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 2 * w


for function in (Attribute, Saved):
    w = torch.tensor(3.0, requires_grad=True)
    y = function.apply(w)
    y.backward()
    try:
        y.backward()
        print(function.__name__, "second backward, w.grad:", w.grad)
    except RuntimeError as error:
        print(function.__name__, str(error).split(" (or")[0])
