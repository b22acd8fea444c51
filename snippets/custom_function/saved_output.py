import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        y = w.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_y):
        (y,) = ctx.saved_tensors
        print("saved y, grad_fn:", y.grad_fn.name())
        return grad_y * y


w = torch.tensor(0.0, requires_grad=True)
(first,) = torch.autograd.grad(Exp.apply(w), w, create_graph=True)
(second,) = torch.autograd.grad(first, w)
print("first:", first.item(), "second:", second.item())
