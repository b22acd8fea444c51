import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        y = w**2
        print("in forward, recording:", torch.is_grad_enabled())
        print("  requires_grad, w:", w.requires_grad, "y:", y.requires_grad)
        return y

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        grad_w = grad_y * 2 * w
        print("in backward, recording:", torch.is_grad_enabled())
        print("  requires_grad, grad_y:", grad_y.requires_grad, "grad_w:", grad_w.requires_grad)
        return grad_w


w = torch.tensor(3.0, requires_grad=True)
y = Square.apply(w)
print("after apply, y.requires_grad:", y.requires_grad)
loss = y**2
loss.backward(retain_graph=True)
print("create_graph=True")
(slope,) = torch.autograd.grad(loss, w, create_graph=True)
