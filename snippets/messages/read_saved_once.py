import torch
from torch.utils.checkpoint import checkpoint


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[1], grad_output * ctx.saved_tensors[0]


class ReadOnce(Product):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
try:
    checkpoint(Product.apply, a, b, use_reentrant=False).backward()
except RuntimeError as error:
    print("read twice:", str(error).partition(" Otherwise")[0])
checkpoint(ReadOnce.apply, a, b, use_reentrant=False).backward()
print("read once:", a.grad, b.grad)
