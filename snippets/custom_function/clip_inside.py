import torch


class ClipGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h, limit):
        ctx.limit = limit
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y.clamp(-ctx.limit, ctx.limit), None


limit = 2.0
w = torch.tensor(1.0, requires_grad=True)
h = ClipGradient.apply(w, limit)
loud = 100 * h
quiet = 1 * w
loss = loud + quiet
loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad)
