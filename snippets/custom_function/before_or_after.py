import torch


class ClipGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y.clamp(-2, 2)


w = torch.tensor(1.0, requires_grad=True)
y = 5 * ClipGradient.apply(w)
(100 * y).backward()
print("before the factor 5, w.grad:", w.grad)

w.grad = None
y = ClipGradient.apply(5 * w)
(100 * y).backward()
print("after the factor 5, w.grad:", w.grad)
