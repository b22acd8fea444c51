import torch


class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, v):
        ctx.save_for_backward(v)
        return w * v

    @staticmethod
    def backward(ctx, grad_y):
        (v,) = ctx.saved_tensors
        return grad_y * v, None


w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
Times.apply(w, v).backward()
print("w.grad:", w.grad, "v.grad:", v.grad)

w.grad = None
loss = Times.apply(w, v) + 4 * v
loss.backward()
print("w.grad:", w.grad, "v.grad:", v.grad)
