import torch


class Double(torch.autograd.Function):
    mark = True

    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        if Double.mark:
            ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_y):
        return 2 * grad_y


for mark in (False, True):
    Double.mark = mark
    w = torch.tensor(3.0, requires_grad=True)
    h = 1 * w
    Double.apply(h)
    print("marked:", mark, "h:", h)
    h.backward()
    print("  w.grad:", w.grad)
