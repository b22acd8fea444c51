import torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, k):
        print("forward, grad enabled:", torch.is_grad_enabled())
        print("forward, needs_input_grad:", ctx.needs_input_grad)
        ctx.save_for_backward(w)
        ctx.k = k
        return w**k

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * ctx.k * w ** (ctx.k - 1), None


class SavesTheNumber(Power):
    @staticmethod
    def forward(ctx, w, k):
        ctx.save_for_backward(w, k)
        return w**k


w = torch.tensor(2.0, requires_grad=True)
Power.apply(w, 3).backward()
print("w.grad:", w.grad)
try:
    SavesTheNumber.apply(w, 3)
except TypeError as error:
    print("error:", error)
