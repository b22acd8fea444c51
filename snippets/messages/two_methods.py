import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


class ForFunc(Square):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)


x = torch.tensor(3.0)
try:
    torch.func.grad(Square.apply)(x)
except RuntimeError as error:
    print("all in forward:", str(error).split(". ")[0])
print("setup_context:", torch.func.grad(ForFunc.apply)(x))
