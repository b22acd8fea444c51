import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mark):
        if mark:
            ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output, None


w = torch.tensor([3.0], requires_grad=True)
for mark in (False, True):
    y = Double.apply(w * 1, mark)
    try:
        y *= 3
        y.backward()
        print("with mark_dirty, w.grad:", w.grad)
    except RuntimeError as error:
        print("without:", str(error).split(" (or")[0])
