import torch
from torch.utils.checkpoint import CheckpointError, checkpoint


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_y):
        return ctx.saved_tensors[0] * grad_y + ctx.saved_tensors[0] * grad_y


class ReadOnce(Square):
    @staticmethod
    def backward(ctx, grad_y):
        (x,) = ctx.saved_tensors
        return x * grad_y + x * grad_y


x = torch.tensor(3.0, requires_grad=True)
print("no checkpoint:", torch.autograd.grad(Square.apply(x), x)[0])
for function in (Square, ReadOnce):
    y = checkpoint(function.apply, x, use_reentrant=False)
    try:
        print(f"{function.__name__}: {torch.autograd.grad(y, x)[0]}")
    except CheckpointError as error:
        print(f"{function.__name__}: {str(error).split('. ')[0]}")
