import torch


class PassThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        return w.round()

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y


w = torch.tensor(2.6, requires_grad=True)
y = PassThrough.apply(w)
y.backward()
print("apply:", y.grad_fn.name())
print("apply, w.grad:", w.grad)

w.grad = None
y = PassThrough.forward(None, w)
y.backward()
print("forward:", y.grad_fn.name())
print("forward, w.grad:", w.grad)
