import torch
from torch.autograd import gradcheck


class Forgot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        return 3 * w

    @staticmethod
    def backward(ctx, grad_y):
        return torch.full_like(grad_y, 3)


class Noisy(Forgot):
    noise = 0.0

    @staticmethod
    def backward(ctx, grad_y):
        Noisy.noise += 1e-9
        return 3 * grad_y + Noisy.noise


plain = torch.tensor([2.0], dtype=torch.float64)
w = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
row = w.expand(3)
tries = [(torch.sin, plain), (torch.sin, row)]
tries += [(Forgot.apply, w), (Noisy.apply, w)]
for function, argument in tries:
    try:
        gradcheck(function, argument)
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, str(error).split("The tol")[0])
