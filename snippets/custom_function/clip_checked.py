import torch
from torch.autograd import gradcheck


class ClipGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h, limit):
        ctx.limit = limit
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y.clamp(-ctx.limit, ctx.limit), None


h = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
for limit in (2.0, 0.5):
    quiet = {"raise_exception": False}
    answer = gradcheck(ClipGradient.apply, (h, limit), **quiet)
    print("limit:", limit, "says:", answer)
