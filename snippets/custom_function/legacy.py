import torch


class Old(torch.autograd.Function):
    def __init__(self, k):
        self.k = k

    def forward(self, w):
        return self.k * w

    def backward(self, grad_y):
        return self.k * grad_y


class New(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, k):
        ctx.k = k
        return k * w

    @staticmethod
    def backward(ctx, grad_y):
        return ctx.k * grad_y, None


w = torch.tensor(2.0, requires_grad=True)
try:
    Old(3)(w)
except RuntimeError as error:
    print("error:", error)
print("new:", New.apply(w, 3))
