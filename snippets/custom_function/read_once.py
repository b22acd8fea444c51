from functools import partial

import torch
from torch.utils.checkpoint import checkpoint


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y * ctx.saved_tensors[1], grad_y * ctx.saved_tensors[0]


class ReadOnce(Product):
    @staticmethod
    def backward(ctx, grad_y):
        a, b = ctx.saved_tensors
        return grad_y * b, grad_y * a


def run(name, function):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    try:
        function(a, b).backward()
        print(f"{name}: {a.grad.item()}, {b.grad.item()}")
    except RuntimeError as error:
        print(f"{name}: {str(error).partition(' Otherwise')[0]}")


run("read twice", Product.apply)
recompute = partial(checkpoint, use_reentrant=False)
run("checkpoint, read twice", partial(recompute, Product.apply))
run("checkpoint, read once", partial(recompute, ReadOnce.apply))
