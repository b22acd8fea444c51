import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return factor * x

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output


class ScaleTwo(Scale):
    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output, None


w = torch.tensor(2.0, requires_grad=True)
try:
    Scale.apply(w, 3).backward()
except RuntimeError as error:
    print("one:", error)
ScaleTwo.apply(w, 3).backward()
print("one and None, w.grad:", w.grad)
