import torch
from torch.autograd.function import once_differentiable


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        slope = 3 * w.numpy() ** 2
        return grad_y * torch.from_numpy(slope)


w = torch.tensor([2.0], requires_grad=True)
loss = Cube.apply(w) ** 2
(first,) = torch.autograd.grad(loss, w, create_graph=True)
print("first:", first.item())
try:
    first.backward()
except RuntimeError as error:
    print("error:", error)
