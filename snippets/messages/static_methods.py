import torch


class Old(torch.autograd.Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return self.factor * x

    def backward(self, grad_output):
        return self.factor * grad_output


class New(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return factor * x

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output, None


w = torch.tensor(2.0, requires_grad=True)
try:
    Old(3)(w)
except RuntimeError as error:
    print("an instance:", str(error).split(". ")[0])
New.apply(w, 3).backward()
print("New.apply, w.grad:", w.grad)
