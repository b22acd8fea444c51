import torch


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.count = len(x)
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.expand(wrong or ctx.count)


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
wrong = 2
try:
    Sum.apply(x).backward()
except RuntimeError as error:
    print("two for three:", error)

wrong = None
Sum.apply(x).backward()
print("three for three, x.grad:", x.grad)
