import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


w = torch.tensor(3.0, requires_grad=True)
try:
    Double.apply(w)
except RuntimeError as error:
    print("w:", error)

w = torch.tensor(3.0, requires_grad=True)
Double.apply(w.clone()).backward()
print("w.clone(), w.grad:", w.grad)
print("w:", w.item())
