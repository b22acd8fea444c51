import torch


class Deletes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.kept = w
        return w**2

    @staticmethod
    def backward(ctx, grad_y):
        grad_w = grad_y * 2 * ctx.kept
        del ctx.kept
        return grad_w


w = torch.tensor(3.0, requires_grad=True)
y = Deletes.apply(w)
y.backward(retain_graph=True)
print("first backward, w.grad:", w.grad)
try:
    y.backward()
except AttributeError as error:
    print("second backward:", error)
