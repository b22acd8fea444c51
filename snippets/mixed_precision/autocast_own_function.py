import torch
from torch.amp import custom_bwd, custom_fwd


class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, grad_y):
        x, w = ctx.saved_tensors
        return grad_y @ w.T, x.T @ grad_y


class TimesIn32(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, grad_y):
        x, w = ctx.saved_tensors
        return grad_y @ w.T, x.T @ grad_y


for function in (Times, TimesIn32):
    w = torch.ones(2, 1, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = function.apply(torch.tensor([[3.0, 4.0]]), w)
    print(f"{function.__name__}, y: {y.dtype}")
    try:
        y.sum().backward()
        print(f"  w.grad: {w.grad.dtype} {w.grad.tolist()}")
    except RuntimeError as error:
        print(f"  {error}")
