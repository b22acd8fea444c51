import gc
import weakref

import torch


class Attribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.y = w.exp()
        return ctx.y

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * ctx.y


class Saved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        y = w.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * ctx.saved_tensors[0]


gc.disable()
for function in (Attribute, Saved):
    y = function.apply(torch.tensor(2.0, requires_grad=True))
    watch = weakref.ref(y)
    del y
    print(function.__name__, "y is gone:", watch() is None)
gc.enable()
