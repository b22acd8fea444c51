import torch


class ClipGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y.clamp(-2, 2)


def clamp(grad):
    return grad.clamp(-2, 2)


for place in ("Function", "hook", ".grad"):
    w = torch.tensor(1.0, requires_grad=True)
    h = 1 * w
    if place == "Function":
        h = ClipGradient.apply(h)
    if place == "hook":
        h.register_hook(clamp)
    (100 * h + w).backward()
    if place == ".grad":
        torch.nn.utils.clip_grad_value_([w], 2)
    print("clipped by", place, "w.grad:", w.grad)
