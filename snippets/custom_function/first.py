import torch


class TimesSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w**2

    @staticmethod
    def backward(ctx, grad_y):
        x, w = ctx.saved_tensors
        print("needs_input_grad:", ctx.needs_input_grad)
        print("grad_y:", grad_y)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_y * w**2
        grad_w = grad_y * 2 * x * w
        return grad_x, grad_w


x = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
y = TimesSquare.apply(x, w)
loss = (y - 10) ** 2
print("y:", y.item())
print("y.grad_fn:", y.grad_fn.name())

loss.backward()
print("w.grad:", w.grad)
print("x.grad:", x.grad)
