import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    @staticmethod
    def backward(ctx, grad_y):
        print("in backward, grad enabled:", torch.is_grad_enabled())
        (w,) = ctx.saved_tensors
        return grad_y * 3 * w**2


w = torch.tensor(2.0, requires_grad=True)
y = Cube.apply(w)
(slope,) = torch.autograd.grad(y, w, create_graph=True)
print("slope:", slope)
(curve,) = torch.autograd.grad(slope, w)
print("slope of the slope:", curve)
