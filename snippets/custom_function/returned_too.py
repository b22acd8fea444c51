import torch
from torch.autograd import gradgradcheck


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        square = w * w
        ctx.save_for_backward(w, square)
        return square * w, square

    @staticmethod
    def backward(ctx, grad_y, grad_square):
        w, square = ctx.saved_tensors
        return grad_y * 3 * square + grad_square * 2 * w


def cube(w):
    outputs = Cube.apply(w)
    return outputs[0]


w = torch.tensor(2.0, requires_grad=True)
loss = cube(w) ** 2
(first,) = torch.autograd.grad(loss, w, create_graph=True)
(second,) = torch.autograd.grad(first, w)
print("first:", first.item(), "second:", second.item())
w64 = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
print("gradgradcheck:", gradgradcheck(cube, w64))
