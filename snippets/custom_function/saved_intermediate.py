import torch


class SavesIntermediate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        square = w * w
        ctx.save_for_backward(square)
        return square * w

    @staticmethod
    def backward(ctx, grad_y):
        (square,) = ctx.saved_tensors
        return grad_y * 3 * square


class SavesInput(SavesIntermediate):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 3 * w**2


for function in (SavesIntermediate, SavesInput):
    w = torch.tensor(2.0, requires_grad=True)
    loss = function.apply(w) ** 2
    (first,) = torch.autograd.grad(loss, w, create_graph=True)
    (second,) = torch.autograd.grad(first, w)
    print(function.__name__, first.item(), second.item())
