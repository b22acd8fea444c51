import torch
from torch.autograd import gradcheck


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        return w.round()

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y


w = torch.tensor([2.6], dtype=torch.float64, requires_grad=True)
try:
    gradcheck(Round.apply, w)
except RuntimeError as error:
    print("error:", error)
