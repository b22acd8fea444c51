import torch
from torch.autograd import gradcheck, gradgradcheck


class SavesIntermediate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        square = w * w
        ctx.save_for_backward(square)
        return square * w

    @staticmethod
    def backward(ctx, grad_y):
        (square,) = ctx.saved_tensors
        return grad_y * 3 * square


w = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
v = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
print("gradcheck:", gradcheck(SavesIntermediate.apply, w))
try:
    gradgradcheck(SavesIntermediate.apply, w, v)
except RuntimeError as error:
    print("gradgradcheck:", error)
