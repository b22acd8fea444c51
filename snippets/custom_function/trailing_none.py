import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, k=3.0):
        ctx.k = k
        return k * w

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * ctx.k, None


class ReturnsTwo(Scale):
    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * ctx.k, grad_y


w = torch.tensor(2.0, requires_grad=True)
Scale.apply(w).backward()
print("w.grad:", w.grad)
try:
    ReturnsTwo.apply(w).backward()
except RuntimeError as error:
    print("error:", error)
