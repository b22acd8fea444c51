import torch


class Clamp(torch.autograd.Function):
    mark = True

    @staticmethod
    def forward(ctx, x):
        inside = ((x > 0) & (x < 1)).to(x.dtype)
        ctx.save_for_backward(inside)
        if Clamp.mark:
            ctx.mark_non_differentiable(inside)
        return x.clamp(0, 1), inside

    @staticmethod
    def backward(ctx, grad_y, grad_inside):
        print("  grad_inside:", grad_inside)
        (inside,) = ctx.saved_tensors
        return grad_y * inside


for mark in (False, True):
    Clamp.mark = mark
    x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
    y, inside = Clamp.apply(x)
    print("marked:", mark)
    print("  inside:", inside)
    loss = (y * inside).sum()
    loss.backward()
    print("  x.grad:", x.grad)
