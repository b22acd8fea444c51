import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, result):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x if result == "x" else x + 0

    @staticmethod
    def backward(ctx, grad_y):
        return 2 * grad_y, None


w = torch.tensor(3.0, requires_grad=True)
for x, result in ((w, "x"), (1 * w, "a new one")):
    try:
        Double.apply(x, result)
    except RuntimeError as error:
        print("error:", error)
